import { keepFocusFrom, untilEditorDrew, withBorrowedFocus } from './borrowed-focus.ts';
import { activeElementOf, standsForEditor } from './dom.ts';
import type { InsertOutcome } from './editable-field.ts';
import { type InsertionRules, insertionText } from './insertion-text.ts';
import { withCaretInView, withScrollKept } from './kept-view.ts';
import { followPlacedText, type PageTurn, untilPageHadItsTurn } from './page-turn.ts';
import { type SavedCursor, type SavedCursors, shiftOffset } from './saved-cursors.ts';
import type { CursorPlace, TextEdit, TextSelection, TextSurface } from './text-surface.ts';
import { typeText } from './type-text.ts';

export type InsertPorts = Required<Pick<InsertionRules, 'spacing' | 'rule' | 'snippets'>> & {
  readonly surface: TextSurface;
  readonly cursors: SavedCursors;
  readonly turn: PageTurn;
  /** Takes the text that was put in; the cursor then stays, behind it. @default it is used up */
  readonly pieces?: Pick<PlacedPieces, 'add' | 'addEmpty' | 'owedAt'>;
};

/** A text that was put in, for as long as nobody has changed it. */
export type PlacedPiece = {
  readonly mark: SavedCursor;
  /** The blank that parts it from what follows, if it took one along. */
  readonly behind: SavedCursor | null;
  /** The text that it took the place of. */
  readonly replaced: string;
  /** The full stop that it lacks for as long as other text goes on behind it, or none. */
  readonly owed: string;
};

/**
 * Inserts dictated text at a saved cursor, all in one go, and watches what the page does with it.
 * The element must be in the document.
 */
export async function insertAtCursor(
  { surface, cursors, spacing, rule, snippets, turn, pieces }: InsertPorts,
  text: string,
  cursor: SavedCursor | null,
): Promise<InsertOutcome> {
  const place = cursor === null ? null : cursors.find(cursor);
  if (cursor === null || place === null) return { kind: 'outside' };
  if (!surface.isEditable()) return { kind: 'not-editable' };
  if (isOutOfReach(surface, place)) return { kind: 'refused' };
  const fate = pieces ? goesOn(cursors, cursor, pieces.add) : usedUp(cursor);

  const now = surface.readText();
  const around = { before: now.slice(0, place.start), after: now.slice(place.end) };
  const { isMultiline, element } = surface;
  const whole = withStop(text, pieces?.owedAt(place.start));
  const rules = { spacing, rule, snippets, isMultiline, ...placeRulesOf(element) };
  const { text: fitted, behind, owed } = insertionText(whole, around, rules);
  if (fitted === '') {
    pieces?.addEmpty(place.start);
    return { kind: 'empty' };
  }
  const lengthAfter = around.before.length + fitted.length + around.after.length;
  if (lengthAfter > surface.maxLength()) return { kind: 'no-room' };

  const replaced = now.slice(place.start, place.end);
  if (replaced !== fitted) {
    const tail = rule?.unitsBehindCaret(fitted, snippets) ?? behind;
    const put = insertFitted({ surface, cursors }, fitted, cursor, { ...place, tail });
    if (put === null) return { kind: 'deferred' };
    await keepFromEditor(surface, put, { ...place, tail }, now);
    const end = surface.readText().length - around.after.length;
    fate.put({ start: place.start, end, behind }, { replaced, owed });
    const placed = followPlacedText({ ...around, replaced, text: fitted });
    const left = await untilPageHadItsTurn(surface, placed, turn);
    if (left === 'gone') {
      fate.refused();
      return { kind: 'refused' };
    }
    fate.done(place.end);
    return { kind: left === 'stands' ? 'inserted' : 'altered', text: fitted };
  }
  pieces?.addEmpty(place.end);
  fate.done(place.end);
  return { kind: 'inserted', text: fitted };
}

/** The text behind the full stop that the piece before it lacks. */
function withStop(text: string, owed = ''): string {
  if (owed === '' || /^\s*[.,;:!?…]/.test(text)) return text;
  return /^\s/.test(text) ? owed + text : `${owed} ${text}`;
}

/** The rules that a field's own type and input mode set. */
function placeRulesOf(element: HTMLElement) {
  const role = element.getAttribute('role') === 'searchbox' ? 'search' : '';
  const kinds = `${'type' in element ? element.type : ''} ${element.inputMode ?? ''} ${role}`;
  const isUnspaced = /\b(?:url|tel|email|number|numeric|decimal)\b/.test(kinds);
  return { isUnspaced, isUnstopped: isUnspaced || /\bsearch\b/.test(kinds) };
}

/** An editor puts text at its own caret, whatever is selected in its hidden text area. */
function isOutOfReach(surface: TextSurface, place: CursorPlace): boolean {
  const selection = surface.readSelection();
  return standsForEditor(surface.element) && selection !== null && !isAt(selection, place);
}

/** A cursor's place, and how much of what goes in there the caret stands before when it is in. */
type PlaceFilled = CursorPlace & { readonly tail: number };

/** Handles the saved cursor of a text that goes in. */
type CursorFate = {
  /** The text stands there, and the page has not had its turn yet. */
  put(
    place: CursorPlace & { readonly behind: number },
    piece: Pick<PlacedPiece, 'replaced' | 'owed'>,
  ): void;
  refused(): void;
  /** The text is in; `end` is where it ends if it stood there before. */
  done(end: number): void;
};

const usedUp = (cursor: SavedCursor): CursorFate => ({
  put() {},
  refused() {},
  done: () => cursor.release(),
});

/** The cursor stays, behind the text, for the one that follows. */
function goesOn(
  cursors: SavedCursors,
  cursor: SavedCursor,
  onPlaced: (placed: PlacedPiece) => void,
): CursorFate {
  let piece: PlacedPiece | null = null;
  return {
    put({ start, end, behind }, { replaced, owed }) {
      const wordsEnd = end - behind;
      piece = {
        mark: cursors.mark(start, wordsEnd),
        behind: behind > 0 ? cursors.mark(wordsEnd, end) : null,
        replaced,
        owed,
      };
      // At once: what the user types behind it while the page has its turn comes after the next.
      cursors.move(cursor, wordsEnd);
    },
    refused() {
      piece?.mark.release();
      piece?.behind?.release();
    },
    done(end) {
      if (piece) onPlaced(piece);
      else cursors.move(cursor, end);
    },
  };
}

/** The user's selection before, and the change; null where the element has not changed yet. */
type Put = {
  readonly users: TextSelection | null;
  readonly edit: TextEdit | null;
  /** The selection that was set behind it. */
  readonly wanted: TextSelection | null;
};

/** Puts text, or nothing, in place of a cursor's selection; null if the browser can't do it now. */
function insertFitted(
  { surface, cursors }: Pick<InsertPorts, 'surface' | 'cursors'>,
  fitted: string,
  cursor: SavedCursor,
  place: PlaceFilled,
): Put | null {
  const { element } = surface;
  if (surface.replace) {
    const { replace } = surface;
    const users = surface.lastSelection();
    const edit = cursors.insertAt(cursor, () => replace(place, fitted));
    const after = selectionAfter(users ?? selectionOf(place), place, edit);
    if (edit !== null && after !== null) surface.select(after);
    return { users, edit, wanted: after };
  }
  // Also where the user was last: WebKit keeps no selection where the focus is not.
  const users = surface.lastSelection();
  const isUserHere = activeElementOf(element) === element && users !== null && isAt(users, place);
  const borrowFocus = () =>
    withBorrowedFocus(element, () => {
      const edit = cursors.insertAt(cursor, () => {
        surface.select({ anchor: place.start, focus: place.end });
        typeText(element, fitted);
      });
      // Set anew in any case: what the user types next must be an undo step of its own.
      // Where the user has never been, the next text goes on.
      const after = selectionAfter(users ?? selectionOf(place), place, edit);
      if (after !== null) surface.select(after);
      return { users, edit, wanted: after };
    });
  const keepView = isUserHere ? withCaretInView : withScrollKept;
  const put = keepView(element, borrowFocus);
  if (put !== null) keepFocusFrom(element);
  return put;
}

/**
 * An editor that takes the text itself draws it a microtask or a frame later: with its caret behind
 * it, wherever the user's is, or (Trix) left before it.
 */
async function keepFromEditor(
  surface: TextSurface,
  { users, edit: typed, wanted: set }: Put,
  place: PlaceFilled,
  before: string,
): Promise<void> {
  if (surface.replace || (typed !== null && place.tail === 0)) return;
  // Quill makes lines of its own of what was typed, a microtask later, with its caret behind them.
  await (typed === null ? untilEditorDrew(surface.element) : null);
  if (users === null || activeElementOf(surface.element) !== surface.element) return;
  if (typed !== null) {
    if (set !== null) surface.select(set);
    return;
  }
  const removed = place.end - place.start;
  const inserted = surface.readText().length - before.length + removed;
  const edit = { start: place.start, removed, inserted };
  const wanted = selectionAfter(users, place, edit) ?? users;
  const { anchor, focus } = surface.readSelection() ?? {};
  if (anchor !== wanted.anchor || focus !== wanted.focus) surface.select(wanted);
}

/** The user's selection moved with the text; a caret at the place follows what was inserted. */
function selectionAfter(
  users: TextSelection | null,
  place: PlaceFilled,
  edit: TextEdit | null,
): TextSelection | null {
  if (users === null || edit === null) return users;
  const move = (offset: number) =>
    offset >= place.start && offset <= place.end
      ? edit.start + edit.inserted - place.tail
      : shiftOffset(offset, edit);
  return { anchor: move(users.anchor), focus: move(users.focus) };
}

const selectionOf = ({ start, end }: CursorPlace): TextSelection => ({
  anchor: start,
  focus: end,
});

function isAt({ anchor, focus }: TextSelection, { start, end }: CursorPlace): boolean {
  return Math.min(anchor, focus) === start && Math.max(anchor, focus) === end;
}

type Standing = CursorPlace & { readonly replaced: string };

type PlacedPieces = ReturnType<typeof createPlacedPieces>;

/** The pieces that one dictation has put in, as far as nobody has changed them. */
export function createPlacedPieces({ surface, cursors }: Pick<InsertPorts, 'surface' | 'cursors'>) {
  let pieces: PlacedPiece[] = [];
  let isReleased = false;

  function placeOf(mark: SavedCursor | null, replaced: string): Standing[] {
    const place = mark && cursors.find(mark);
    return place && place.start < place.end ? [{ ...place, replaced }] : [];
  }

  const stands = ({ mark, replaced }: PlacedPiece): boolean => placeOf(mark, replaced).length > 0;

  /** With the blanks that came along with them; neighbours as one, so that one undo brings them back. */
  function placesOf(some: readonly PlacedPiece[]): Standing[] {
    const all = some.flatMap(({ mark, behind, replaced }) => {
      const words = placeOf(mark, replaced);
      return words.length > 0 ? [...words, ...placeOf(behind, '')] : [];
    });
    const places: Standing[] = [];
    for (const next of all.sort((one, other) => one.start - other.start)) {
      const last = places.at(-1);
      if (last?.end === next.start && next.replaced === '') {
        places.splice(-1, 1, { ...last, end: next.end });
      } else places.push(next);
    }
    return places;
  }

  /**
   * Removes an insertion, and restores the text that it replaced; false if the browser can't do it
   * now.
   */
  async function takeOut(place: Standing): Promise<boolean> {
    const { start, end, replaced } = place;
    const before = surface.readText();
    const cursor = cursors.save({ anchor: start, focus: end });
    const at = { start, end, tail: 0 };
    const put = insertFitted({ surface, cursors }, replaced, cursor, at);
    cursor.release();
    if (put !== null) await keepFromEditor(surface, put, at, before);
    return put !== null;
  }

  function owedAt(offset: number): string {
    const last = pieces.at(-1);
    return last && cursors.find(last.mark)?.end === offset ? last.owed : '';
  }

  function forget(some: readonly PlacedPiece[]): void {
    for (const { mark, behind } of some) {
      mark.release();
      behind?.release();
    }
  }

  return {
    add(piece: PlacedPiece): void {
      pieces.push(piece);
    },
    /** Counts an insertion of which nothing is to be taken out: the one before it is not the last. */
    addEmpty(offset: number): void {
      const owed = owedAt(offset);
      const mark = cursors.save({ anchor: offset, focus: offset });
      pieces.push({ mark, behind: null, replaced: '', owed });
    },
    /** The full stop that the last piece lacks, if it ends at `offset` as it was put in. */
    owedAt,
    /** True if any of them stands unchanged. */
    stand: (): boolean => pieces.some(stands),
    /**
     * Takes those out that stand unchanged, of all or of the last so many, and puts back what they
     * took the place of. Answers whether all of them are out, and which went out, by their
     * numbers from 0. While one of them stays all are known, for the next call.
     */
    async takeBack(
      count = pieces.length,
    ): Promise<{ readonly isDone: boolean; readonly out: readonly number[] }> {
      // Whoever sees the last one go may release them meanwhile.
      const [all, isKnown] = [pieces, !isReleased];
      const taken = all.slice(Math.max(0, all.length - count));
      const stood = taken.filter(stands);
      // From the last on, so that the places before it stay where they are.
      let from = Number.POSITIVE_INFINITY;
      for (;;) {
        const next = placesOf(taken).findLast(({ start }) => start < from);
        if (next === undefined || !(await takeOut(next))) break;
        from = next.start;
      }
      const out = stood.filter((piece) => !stands(piece)).map((piece) => all.indexOf(piece));
      const isDone = isKnown && !taken.some(stands);
      if (isDone) {
        pieces = pieces.filter((piece) => !taken.includes(piece));
        forget(taken);
      }
      return { isDone, out };
    },
    /** Forgets them. Harmless when done twice. */
    release(): void {
      isReleased = true;
      forget(pieces);
      pieces = [];
    },
  };
}
