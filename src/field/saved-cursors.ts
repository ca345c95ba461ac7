import {
  type CursorPlace,
  selectionRange,
  type TextEdit,
  type TextSelection,
  type TextSurface,
} from './text-surface.ts';

/** A place in a field, saved for later. It moves with the text around it until it is released. */
export type SavedCursor = {
  /** Forgets the place: after that nothing is inserted there. Harmless when done twice. */
  release(): void;
};

export type SavedCursors = ReturnType<typeof createSavedCursors>;

type Entry = {
  start: number;
  end: number;
  readonly selected: string;
  readonly order: number;
  readonly isMark: boolean;
};

/**
 * Moves saved cursors with the text around them; costs nothing while there are none. `onUse` is
 * called when there is a first cursor, and when there is none any more.
 */
export function createSavedCursors(
  surface: TextSurface,
  onUse: (isUsed: boolean) => void = () => {},
) {
  const entries = new Map<SavedCursor, Entry>();
  let stopWatching: (() => void) | null = null;
  let isInserting = false;
  let text = '';
  let saved = 0;

  function isUntouched({ start, end, selected }: Entry): boolean {
    return text.slice(start, end) === selected;
  }

  function follow(told: readonly TextEdit[] = []): void {
    if (isInserting) return;
    const now = surface.readText();
    if (now === text) return;
    const grown = told.reduce((sum, { inserted, removed }) => sum + inserted - removed, 0);
    const isAll = told.length > 0 && text.length + grown === now.length;
    const guessed = isAll ? null : findEdit(text, now, caretOf(surface));
    for (const entry of entries.values()) shiftEntry(entry, guessed ? [guessed] : told);
    text = now;
  }

  function shiftEntry(entry: Entry, edits: readonly TextEdit[]): void {
    // Letters that are typed over the selection, one by one, must all stay before the cursor.
    const shiftEnd = isUntouched(entry) ? shiftOffset : shiftOffsetBehind;
    for (const edit of edits) {
      if (entry.isMark) shiftMark(entry, edit);
      else {
        entry.start = shiftOffset(entry.start, edit);
        entry.end = shiftEnd(entry.end, edit);
      }
    }
  }

  function release(cursor: SavedCursor): void {
    if (!entries.delete(cursor) || entries.size > 0) return;
    stopWatching?.();
    stopWatching = null;
    onUse(false);
  }

  function find(cursor: SavedCursor): CursorPlace | null {
    const entry = entries.get(cursor);
    if (entry === undefined) return null;
    follow();
    return { start: isUntouched(entry) ? entry.start : entry.end, end: entry.end };
  }

  function add({ start, end }: CursorPlace, isMark: boolean): SavedCursor {
    if (stopWatching === null) {
      text = surface.readText();
      stopWatching = surface.watch(follow);
      onUse(true);
    } else follow();
    const cursor: SavedCursor = { release: () => release(cursor) };
    const selected = text.slice(start, end);
    entries.set(cursor, { start, end, selected, order: saved++, isMark });
    return cursor;
  }

  return {
    save: (selection: TextSelection): SavedCursor => add(selectionRange(selection), false),

    /** Its place now; null if it was released or is another field's. */
    find,

    /** Moves a cursor to an offset of the text as it is now; what was selected there is forgotten. */
    move(cursor: SavedCursor, offset: number) {
      follow();
      const entry = entries.get(cursor);
      if (entry) entries.set(cursor, { ...entry, start: offset, end: offset, selected: '' });
    },

    /**
     * Marks the text from `start` to `end`. The place is found as long as that text is unchanged,
     * and is empty after that. Text inserted at its ends is no part of it.
     */
    mark: (start: number, end: number): SavedCursor => add({ start, end }, true),

    /**
     * Runs an insertion of ours at a cursor's place and returns how the text changed, null if it did
     * not. Other cursors at that very place stay before what was inserted if they are older, and
     * follow it if they are younger, so that dictations stand in the order they were begun.
     */
    insertAt(cursor: SavedCursor, insert: () => void): TextEdit | null {
      const place = find(cursor);
      const own = entries.get(cursor);
      if (place === null || own === undefined) return null;
      isInserting = true;
      try {
        insert();
      } finally {
        isInserting = false;
      }
      const edit = insertionEdit(place, text, surface.readText());
      text = surface.readText();
      if (edit === null) return null;
      for (const entry of entries.values()) {
        if (entry.isMark) {
          shiftMark(entry, edit);
          continue;
        }
        const shift = entry.order > own.order ? shiftOffsetBehind : shiftOffset;
        entry.start = shift(entry.start, edit);
        entry.end = shift(entry.end, edit);
      }
      return edit;
    },

    dispose() {
      for (const cursor of [...entries.keys()]) release(cursor);
    },
  };
}

function shiftMark(mark: Entry, edit: TextEdit): void {
  mark.start = shiftOffsetBehind(mark.start, edit);
  mark.end = Math.max(mark.start, shiftOffset(mark.end, edit));
}

/** The change that an insertion at a known place made; guessed only where the page changed more. */
function insertionEdit(
  { start, end }: CursorPlace,
  before: string,
  after: string,
): TextEdit | null {
  const tail = before.slice(end);
  const isOwnOnly =
    after.length >= start + tail.length &&
    after.startsWith(before.slice(0, start)) &&
    after.endsWith(tail);
  if (!isOwnOnly || before === after) return findEdit(before, after, null);
  return { start, removed: end - start, inserted: after.length - start - tail.length };
}

function caretOf(surface: TextSurface): number | null {
  const selection = surface.readSelection();
  return selection !== null && selection.anchor === selection.focus ? selection.focus : null;
}

/**
 * The change that led from one text to the other, null when they are the same.
 *
 * Where a letter typed beside its like leaves several answers (`aa` -> `aaa`), the caret after the
 * change decides: what follows it was there before. Give null when there is none; a caret that has
 * nothing to do with the change does no harm.
 */
export function findEdit(before: string, after: string, caret: number | null): TextEdit | null {
  if (before === after) return null;
  const kept = caret === null ? 0 : keptAfterCaret(before, after, caret);
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter - kept && before[start] === after[start]) start += 1;
  let tail = kept;
  while (tail < shorter - start && fromEnd(before, tail) === fromEnd(after, tail)) tail += 1;
  return { start, removed: before.length - start - tail, inserted: after.length - start - tail };
}

/**
 * The offset after an edit of an offset before it. Text inserted exactly at the offset goes behind
 * it; an offset inside a replaced part moves behind the replacement.
 */
export function shiftOffset(offset: number, edit: TextEdit): number {
  if (offset <= edit.start) return offset;
  if (offset < edit.start + edit.removed) return edit.start + edit.inserted;
  return offset + edit.inserted - edit.removed;
}

/** As `shiftOffset`, but what is inserted exactly at the offset goes before it. */
export function shiftOffsetBehind(offset: number, edit: TextEdit): number {
  return offset === edit.start ? edit.start + edit.inserted : shiftOffset(offset, edit);
}

function keptAfterCaret(before: string, after: string, caret: number): number {
  const rest = after.slice(caret);
  return before.endsWith(rest) ? rest.length : 0;
}

function fromEnd(text: string, units: number): string | undefined {
  return text[text.length - 1 - units];
}
