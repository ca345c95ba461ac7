import { caretRect } from '../field/caret-rect.ts';
import { canDictate } from '../field/text-surface.ts';

/** The part of an `EditContext` that is used: what its editor tells the browser, a line as a rule. */
export type EditContextText = EventTarget & {
  readonly text: string;
  readonly selectionStart: number;
  readonly selectionEnd: number;
};

/** A smaller element only takes the keys: the editor's visible box is one of its ancestors. */
const BOX_PX = 24;

/** The `EditContext` that an element's keys go to (Monaco); null for every other element. */
export function editContextOf(element: HTMLElement): EditContextText | null {
  const { editContext = null }: { editContext?: EditContextText | null } & HTMLElement = element;
  return editContext;
}

/** True if the extension can put text into an element. */
export function takesDictation(element: HTMLElement): boolean {
  return editContextOf(element) !== null || canDictate(element);
}

/**
 * The place of the microphone: the caret, or the box of an editor that hides its caret from the
 * page.
 */
export function caretOf(element: HTMLElement): DOMRect {
  return editContextOf(element) ? boxAround(element) : caretRect(element);
}

/** The left edge of the box that an element with an `EditContext` is in. */
export function boxAround(element: HTMLElement): DOMRect {
  let box = element.getBoundingClientRect();
  for (let around = element.parentElement; around; around = around.parentElement) {
    if (box.width >= BOX_PX && box.height >= BOX_PX) break;
    box = around.getBoundingClientRect();
  }
  return new DOMRect(box.left, box.top, 0, box.height);
}
