import { activeElementOf, isTextControl } from './dom.ts';
import {
  fitNewlines,
  MAX_NEWLINES,
  newlinesAtEnd,
  newlinesAtStart,
  onOneLine,
  surplusNewlines,
} from './insertion-text.ts';
import { withCaretInView } from './kept-view.ts';
import { shiftOffset } from './saved-cursors.ts';
import type { TextEdit } from './text-surface.ts';
import {
  createTextSurface,
  selectionRange,
  type TextSelection,
  type TextSurface,
} from './text-surface.ts';
import { deleteSelection, typeText } from './type-text.ts';

/**
 * Keeps three or more newlines in a row out of a field: the key that would make the third does
 * nothing, and where other input makes them (a deletion that lets lines meet, a text dropped in)
 * the surplus is deleted, as an undo step of its own. Undo and redo are left as they are. Returns
 * the end of the rule. Throws `bad-option` for an element that can't be edited.
 */
export function attachNewlineRule(element: HTMLElement): () => void {
  const surface = createTextSurface(element);
  const listening = new AbortController();
  const { signal } = listening;
  const collapseSoon = () => queueMicrotask(() => signal.aborted || collapse(surface));

  element.addEventListener(
    'beforeinput',
    (event) => {
      if (event.defaultPrevented) return;
      if (/^insert(LineBreak|Paragraph)$/.test(event.inputType) && wouldBeSurplus(surface)) {
        event.preventDefault();
      }
      if (event.inputType === 'insertFromPaste' && isTextControl(element)) paste(surface, event);
    },
    { signal },
  );
  element.addEventListener(
    'input',
    (event) => {
      const { inputType, isComposing } = event as InputEvent;
      // Undo only brings back what the rule let stand. A composition is checked at its end.
      if (isComposing || inputType.startsWith('history')) return;
      collapseSoon();
    },
    { signal },
  );
  element.addEventListener('compositionend', collapseSoon, { signal });
  return () => {
    listening.abort();
    surface.dispose();
  };
}

function wouldBeSurplus(surface: TextSurface): boolean {
  const selection = surface.readSelection();
  if (selection === null || selection.anchor !== selection.focus) return false;
  const text = surface.readText();
  const before = newlinesAtEnd(text.slice(0, selection.focus));
  const after = newlinesAtStart(text.slice(selection.focus));
  return before + after >= MAX_NEWLINES;
}

/**
 * Pastes without the surplus, as one undo step; deleted afterwards it would be one more. A page that
 * handles pasting itself has prevented the event by now.
 */
function paste(surface: TextSurface, event: InputEvent): void {
  const pasted = event.data ?? event.dataTransfer?.getData('text/plain');
  const selection = surface.readSelection();
  if (!(pasted && selection && surface.isMultiline)) return;
  const { start, end } = selectionRange(selection);
  const text = surface.readText();
  const fitted = fitNewlines(pasted, text.slice(0, start), text.slice(end));
  if (fitted === pasted.replace(/\r\n?/g, '\n')) return;
  event.preventDefault();
  if (fitted === '') return;
  surface.select(selection);
  typeText(surface.element, fitted);
}

function collapse(surface: TextSurface): void {
  const { element } = surface;
  let caret = surface.readSelection();
  if (caret === null || activeElementOf(element) !== element || !surface.isEditable()) return;
  // From the last to the first, so that the places of those to come stay right.
  for (const { start, end } of surplusNewlines(surface.readText()).reverse()) {
    surface.select({ anchor: start, focus: end });
    deleteSelection(element);
    caret = shiftSelection(caret, { start, removed: end - start, inserted: 0 });
    surface.select(caret);
  }
}

function shiftSelection({ anchor, focus }: TextSelection, edit: TextEdit): TextSelection {
  return { anchor: shiftOffset(anchor, edit), focus: shiftOffset(focus, edit) };
}

/**
 * Lets pasting and dropping bring in plain text only, with three or more newlines in a row
 * collapsed to two, as one undo step. Images and files bring in nothing. A text dragged from one
 * place to another within the element is left to the browser.
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
