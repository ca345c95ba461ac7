import { expect } from 'vitest';
import { userEvent } from 'vitest/browser';
import { DictationField, type DictationFieldProps } from '../../src/widget/DictationField.tsx';
import { textOf } from './editable-elements.ts';
import { createFakeDictation, type FakeDictation } from './fake-dictation.ts';
import { placeAtRest } from './place-at-rest.ts';
import { type Rendered, render } from './render.tsx';

/** A `DictationField` in the page. */
export type MountedField = Rendered & {
  readonly dictation: FakeDictation;
  readonly element: HTMLElement;
  readonly text: () => string;
  /** Draws it with other props. */
  set(props: Partial<DictationFieldProps>): void;
};

/** Draws a field with a fake dictation; `host` is where. */
export function mountField(
  props: Partial<DictationFieldProps> = {},
  host?: HTMLElement,
): MountedField {
  const dictation = (props.dictation as FakeDictation) ?? createFakeDictation();
  const node = (given: Partial<DictationFieldProps>) => (
    <DictationField label="Text" dictation={dictation} {...given} />
  );
  let current = props;
  const rendered = render(node(props), host);
  const element = rendered.host.querySelector<HTMLElement>('.field-text')!;
  return {
    ...rendered,
    dictation,
    element,
    text: () => textOf(element),
    set(changes) {
      current = { ...current, ...changes };
      rendered.draw(node(current));
    },
  };
}

export const toolbar = (): HTMLElement | null =>
  document.querySelector('[role="toolbar"][popover]');

/** The toolbar, when it is there and in its place: what moves may be missed by a press. */
export async function seenToolbar(): Promise<HTMLElement> {
  await expect.poll(() => toolbar()?.checkVisibility({ visibilityProperty: true })).toBe(true);
  await placeAtRest(() => toolbar() ?? document.body);
  return toolbar()!;
}

/** Moves the mouse a little: after typing, the toolbar comes back with it. */
export function moveMouse(clientX = 5, clientY = 5): void {
  const at = { bubbles: true, pointerType: 'mouse', clientX, clientY };
  document.body.dispatchEvent(new PointerEvent('pointermove', at));
}

export function button(name: string, within: ParentNode = document): HTMLButtonElement {
  const found = [...within.querySelectorAll('button')].find(
    (each) => each.textContent?.trim() === name,
  );
  if (!found) throw new Error(`No button '${name}'`);
  return found;
}

/** Diktera in the toolbar, Klar while it records. */
export const dictateButton = (): HTMLButtonElement =>
  toolbar()?.querySelector<HTMLButtonElement>('.tool-dictate') as HTMLButtonElement;

/** Clicks the field, then Diktera, and waits until it records. */
export async function startRecording({ element, dictation, host }: MountedField): Promise<void> {
  await userEvent.click(element);
  await seenToolbar();
  await userEvent.click(button('Diktera', toolbar()!));
  await expect.poll(() => dictation.getSnapshot().session.phase).toBe('recording');
  await expect.poll(() => host.querySelector('.recording-bar')).not.toBeNull();
}
