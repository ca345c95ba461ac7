import { fitNewlines } from './collapse-newlines.ts';
import { createTextSurface } from './create-editable-field.ts';
import { onOneLine } from './insertion-text.ts';
import { withCaretInView } from './kept-view.ts';
import { selectionRange, type TextSelection, type TextSurface } from './text-surface.ts';
import { typeText } from './type-text.ts';

/**
 * Lets pasting and dropping bring in plain text only, with three or more newlines in a row
 * collapsed to two, as one undo step. What has no plain text in it (an image, files) brings in
 * nothing. A text dragged from one place to another within the element is left to the browser.
 * Returns the end of the rule. Throws `bad-option` for an element that can't be edited.
 */
export function attachPlainTextPaste(element: HTMLElement): () => void {
  const surface = createTextSurface(element);
  const listening = new AbortController();
  const { signal } = listening;
  let isOwnDrag = false;

  element.addEventListener(
    'paste',
    (event) => {
      if (event.defaultPrevented || event.clipboardData === null) return;
      event.preventDefault();
      const selection = surface.readSelection();
      if (selection !== null) putIn(surface, event.clipboardData, selection);
    },
    { signal },
  );
  element.addEventListener('dragstart', () => (isOwnDrag = true), { signal });
  element.addEventListener('dragend', () => (isOwnDrag = false), { signal });
  element.addEventListener(
    'drop',
    (event) => {
      if (event.defaultPrevented || event.dataTransfer === null || isOwnDrag) return;
      event.preventDefault();
      const offset = surface.offsetAtPoint(event.clientX, event.clientY);
      const at = offset === null ? surface.lastSelection() : { anchor: offset, focus: offset };
      if (at !== null) putIn(surface, event.dataTransfer, at);
    },
    { signal },
  );
  return () => {
    listening.abort();
    surface.dispose();
  };
}

function putIn(surface: TextSurface, data: DataTransfer, selection: TextSelection): void {
  if (!surface.isEditable()) return;
  const plain = data.getData('text/plain');
  const text = surface.isMultiline ? plain : onOneLine(plain);
  const { start, end } = selectionRange(selection);
  const now = surface.readText();
  const fitted = fitNewlines(text, now.slice(0, start), now.slice(end));
  if (fitted === '') return;
  withCaretInView(surface.element, () => {
    // Selected anew before and after: an undo step of its own.
    surface.select(selection);
    typeText(surface.element, fitted);
    const after = surface.readSelection();
    if (after !== null) surface.select(after);
  });
}
