import { isNothing } from '../core/blank-text.ts';
import { fitToPlace, unitsBehindCaret } from '../core/text/fit-to-place.ts';
import type { EditableField, InsertOptions, InsertOutcome } from '../field/editable-field.ts';
import { insertionText, type Spacing } from '../field/insertion-text.ts';
import { PAGE_TURN_MS } from '../field/page-turn.ts';
import type { SavedCursor } from '../field/saved-cursors.ts';
import { boxAround, type EditContextText, editContextOf } from './edit-context.ts';

type Place = Pick<EditContextText, 'text' | 'selectionStart' | 'selectionEnd'>;

/** Keys that leave the caret where it is. */
const STILL_KEY = /^(F\d+|Shift|Control|Alt|AltGraph|Meta|Escape|CapsLock)$/;

const fields = new WeakMap<HTMLElement, EditableField>();

/** The one field of an element with an `EditContext`. */
export function editContextField(element: HTMLElement): EditableField {
  const field = fields.get(element) ?? createEditContextField(element);
  fields.set(element, field);
  return field;
}

/**
 * The field of an editor that draws its text itself and gets its keys through an `EditContext`
 * (Monaco). Only the line with the caret can be read, and a paste goes to the caret alone. A text
 * is therefore inserted only while the caret is where the dictation began; else it waits in the
 * list.
 */
function createEditContextField(element: HTMLElement): EditableField {
  /** Places whose caret has not moved since. */
  const places = new Map<SavedCursor, Place>();
  let watching: AbortController | null = null;
  let lastTurn: Promise<unknown> = Promise.resolve();
  let isComposing = false;

  function read(): Place | null {
    const context = editContextOf(element);
    if (!(context && element.isConnected)) return null;
    const { text, selectionStart, selectionEnd } = context;
    return { text, selectionStart, selectionEnd };
  }

  const isHere = (place: Place): boolean => JSON.stringify(read()) === JSON.stringify(place);

  /**
   * Forgets the places once the caret may have moved: the line's text does not tell, since empty
   * lines are alike.
   */
  const forget = (event: Event): void => {
    if (!event.isTrusted) return;
    const path = event.composedPath();
    const isKey = 'key' in event;
    if (isKey && (STILL_KEY.test(String(event.key)) || !path.includes(element))) return;
    if (!isKey && path.some((each) => each instanceof Element && isTools(each))) return;
    places.clear();
    rest();
  };
  const noteComposition = ({ type }: Event): void => {
    isComposing = type === 'compositionstart';
    // An input method writes without key events: the places are lost.
    if (isComposing) places.clear();
  };

  function watch(): void {
    if (watching) return;
    watching = new AbortController();
    const options = { capture: true, passive: true, signal: watching.signal };
    for (const type of ['keydown', 'pointerdown', 'paste', 'drop', 'cut'])
      window.addEventListener(type, forget, options);
    for (const type of ['compositionstart', 'compositionend'])
      editContextOf(element)?.addEventListener(type, noteComposition, options);
  }

  function rest(): void {
    if (places.size > 0) return;
    watching?.abort();
    watching = null;
    isComposing = false;
  }

  async function put(
    text: string,
    cursor: SavedCursor,
    { spacing = 'spec', snippets = [], withdrawn }: InsertOptions,
  ): Promise<InsertOutcome> {
    const place = places.get(cursor);
    if (!read()) return { kind: 'gone' };
    if (!(place && isHere(place))) return { kind: 'outside' };
    // A hidden page does not draw, and the editor's `EditContext` may be out of date.
    if (isComposing || document.hidden || withdrawn?.aborted) return { kind: 'deferred' };
    const fitted = fittedTo(place, text, spacing, snippets);
    if (fitted === '') return { kind: 'empty' };
    if (!paste(element, fitted)) return { kind: 'refused' };
    places.delete(cursor);
    return judge(place, fitted);
  }

  /** Reads, some frames after a paste, what the editor made of the text. */
  async function judge(before: Place, text: string): Promise<InsertOutcome> {
    await new Promise((resolve) => setTimeout(resolve, PAGE_TURN_MS));
    const now = read();
    // Other dictations that began at this caret move with it, behind the text.
    for (const other of places.keys()) if (now) places.set(other, now);
    rest();
    if (!now || isHere(before)) return { kind: 'refused' };
    const last = text.slice(text.lastIndexOf('\n') + 1).trim();
    return { kind: now.text.includes(last) ? 'inserted' : 'altered', text };
  }

  return {
    element,
    isEditable: () => true,
    get isComposing() {
      return isComposing;
    },
    saveCursor() {
      const place = read();
      if (!place) return null;
      const cursor: SavedCursor = {
        release() {
          places.delete(cursor);
          rest();
        },
      };
      places.set(cursor, place);
      watch();
      return cursor;
    },
    insert(text, cursor, options = {}) {
      if (isNothing(text)) return Promise.resolve({ kind: 'empty' });
      if (!cursor) return Promise.resolve({ kind: 'outside' });
      const turn = lastTurn.then(() => put(text, cursor, options));
      lastTurn = turn.catch(() => {});
      return turn;
    },
    text: () => read()?.text ?? '',
    caretRect: () => boxAround(element),
    dispose() {
      places.clear();
      rest();
    },
  };
}

/** The text as the line with the caret wants it. */
function fittedTo(
  { text: line, selectionStart, selectionEnd }: Place,
  text: string,
  spacing: Spacing,
  snippets: NonNullable<InsertOptions['snippets']>,
): string {
  const around = { before: line.slice(0, selectionStart), after: line.slice(selectionEnd) };
  const rule = { fitToPlace, unitsBehindCaret };
  return insertionText(text, around, { spacing, snippets, rule, isMultiline: true }).text;
}

/** Pastes at the editor's own caret; false where it does not take it. */
function paste(element: HTMLElement, text: string): boolean {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  const how = { clipboardData, bubbles: true, cancelable: true, composed: true };
  // Whoever takes it keeps the browser from doing so.
  return !element.dispatchEvent(new ClipboardEvent('paste', how));
}

function isTools({ localName }: Element): boolean {
  return localName === 'diktera-tools';
}
