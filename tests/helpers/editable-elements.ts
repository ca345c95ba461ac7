import { onTestFinished } from 'vitest';
import { userEvent } from 'vitest/browser';
import { createEditableField } from '../../src/field/create-editable-field.ts';
import type { EditableField } from '../../src/field/editable-field.ts';
import { readTextMap } from '../../src/field/text-map.ts';

/** Every sort of element that can be dictated into. */
export type Kind = 'plaintext-only' | 'rich' | 'textarea' | 'input';

export const KINDS: readonly Kind[] = ['plaintext-only', 'rich', 'textarea', 'input'];
export const MULTILINE_KINDS: readonly Kind[] = ['plaintext-only', 'rich', 'textarea'];

const HTML: Readonly<Record<Kind, string>> = {
  'plaintext-only': '<div contenteditable="plaintext-only"></div>',
  rich: '<div contenteditable="true"></div>',
  textarea: '<textarea></textarea>',
  input: '<input>',
};

/** Puts HTML into the page until the test is over, and gives its first element. */
export function mount(html: string): HTMLElement {
  const host = document.createElement('div');
  host.innerHTML = html;
  document.body.append(host);
  onTestFinished(() => host.remove());
  return host.firstElementChild as HTMLElement;
}

/**
 * Other fonts of a system have letters higher than the lines here, of which each engine paints the
 * caret in a way of its own.
 */
export const LETTERS = "font: 16px/20px 'DejaVu Sans Mono', monospace;";

/** An element of a kind, empty, all letters of one width. */
export function mountKind(kind: Kind, style = ''): HTMLElement {
  const element = mount(HTML[kind]);
  element.setAttribute('style', `${LETTERS} width: 300px; ${style}`);
  return element;
}

/** An element with the focus and text typed by real keys. */
export async function mountTyped(kind: Kind, text: string, style = ''): Promise<HTMLElement> {
  const element = mountKind(kind, style);
  element.focus();
  await type(text);
  return element;
}

/** The element as a field, until the test ends. No page is here that changes what is put in. */
export function fieldOf(element: HTMLElement): EditableField {
  const field = createEditableField(element, { turnMs: 0 });
  onTestFinished(() => field.dispose());
  return field;
}

/**
 * Types with real key events; `\n` is the Enter key. Letters that a US keyboard has not are
 * undo steps of their own.
 */
export async function type(text: string): Promise<void> {
  if (text !== '')
    await userEvent.keyboard(text.replace(/[{[]/g, '$&$&').replaceAll('\n', '{Enter}'));
}

export const press = (keys: string) => userEvent.keyboard(keys);
export const undo = () => userEvent.keyboard('{Control>}z{/Control}');
export const redo = () => userEvent.keyboard('{Control>}{Shift>}z{/Shift}{/Control}');

/** Selects from one offset of an element's text to another. */
export function select(element: HTMLElement, start: number, end = start): void {
  if (isControl(element)) {
    element.setSelectionRange(start, end);
    return;
  }
  // Firefox has a text node for each insertion of another kind.
  const map = readTextMap(element);
  const from = map.pointAt(start);
  const to = map.pointAt(end);
  getSelection()?.setBaseAndExtent(from.node, from.offset, to.node, to.offset);
}

/** The exact content of the element: the value, or the HTML. */
export function contents(element: HTMLElement): string {
  return isControl(element) ? element.value : element.innerHTML;
}

/** The text as the user would copy it. */
export function textOf(element: HTMLElement): string {
  return isControl(element) ? element.value : readTextMap(element).wholeText();
}

export function isControl(element: Element): element is HTMLTextAreaElement | HTMLInputElement {
  return element instanceof HTMLTextAreaElement || element instanceof HTMLInputElement;
}

/** Puts a mark where the caret is by typing it. */
export const markCaret = () => type('|');
