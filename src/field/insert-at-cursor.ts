import { untilEditorDrew, withBorrowedFocus } from './borrowed-focus.ts';
import type { CursorKeeper, CursorPlace, SavedCursor } from './cursor-keeper.ts';
import type { InsertOutcome } from './editable-field.ts';
import { insertionText, type Spacing } from './insertion-text.ts';
import { withCaretInView, withScrollKept } from './kept-view.ts';
import { type PageTurn, untilPageHadItsTurn } from './page-turn.ts';
import { followPlacedText } from './placed-text.ts';
import { shiftOffset, type TextEdit } from './text-edit.ts';
import type { TextSelection, TextSurface } from './text-surface.ts';
import { activeElementOf } from './tree-scope.ts';
import { typeText } from './type-text.ts';

/** What an insertion goes by. */
export type InsertPorts = {
  readonly surface: TextSurface;
  readonly keeper: CursorKeeper;
  readonly spacing: Spacing;
  readonly turn: PageTurn;
};

/**
 * Inserts dictated text at a saved cursor, all in one go, and sees what the page makes of it. The
 * element is in the document.
 */
export async function insertAtCursor(
  { surface, keeper, spacing, turn }: InsertPorts,
  text: string,
  cursor: SavedCursor | null,
): Promise<InsertOutcome> {
  const place = cursor === null ? null : keeper.find(cursor);
  if (cursor === null || place === null) return { kind: 'outside' };
  if (!surface.isEditable()) return { kind: 'not-editable' };

  const now = surface.readText();
  const around = { before: now.slice(0, place.start), after: now.slice(place.end) };
  const fitted = insertionText(text, around, { spacing, isMultiline: surface.isMultiline });
  if (fitted === '') return { kind: 'empty' };
  const lengthAfter = around.before.length + fitted.length + around.after.length;
  if (lengthAfter > surface.maxLength()) return { kind: 'no-room' };

  const replaced = now.slice(place.start, place.end);
  if (replaced !== fitted) {
    const put = insertFitted({ surface, keeper }, fitted, cursor, place);
    if (put === null) return { kind: 'deferred' };
    if (put.edit === null) await keepFromEditor(surface, put.users, place, now);
    const placed = followPlacedText({ ...around, replaced, text: fitted });
    const fate = await untilPageHadItsTurn(surface, placed, turn);
    if (fate === 'gone') return { kind: 'refused' };
    cursor.release();
    return { kind: fate === 'stands' ? 'inserted' : 'altered', text: fitted };
  }
  cursor.release();
  return { kind: 'inserted', text: fitted };
}

/** Where the user's selection was, and what changed; null where the element has not changed yet. */
type Put = { readonly users: TextSelection | null; readonly edit: TextEdit | null };

/** Null if the browser can't do it now. */
function insertFitted(
  { surface, keeper }: Pick<InsertPorts, 'surface' | 'keeper'>,
  fitted: string,
  cursor: SavedCursor,
  place: CursorPlace,
): Put | null {
  const { element } = surface;
  const users = surface.readSelection();
  const isUserHere = activeElementOf(element) === element && users !== null && isAt(users, place);
  const borrowFocus = () =>
    withBorrowedFocus(element, () => {
      const edit = keeper.insertAt(cursor, () => {
        surface.select({ anchor: place.start, focus: place.end });
        typeText(element, fitted);
      });
      // Set anew in any case: what the user types next must be an undo step of its own.
      const after = selectionAfter(users, place, edit);
      if (after !== null) surface.select(after);
      return { users, edit };
    });
  const keepView = isUserHere ? withCaretInView : withScrollKept;
  return keepView(element, borrowFocus);
}

/**
 * An editor that takes the text itself draws it a microtask later, with its caret behind it,
 * wherever the user's is.
 */
async function keepFromEditor(
  surface: TextSurface,
  users: TextSelection | null,
  place: CursorPlace,
  before: string,
): Promise<void> {
  await untilEditorDrew(surface.element);
  if (users === null || isAt(users, place)) return;
  if (activeElementOf(surface.element) !== surface.element) return;
  const removed = place.end - place.start;
  const inserted = surface.readText().length - before.length + removed;
  surface.select(selectionAfter(users, place, { start: place.start, removed, inserted }) ?? users);
}

/** The user's selection moved with the text; a caret at the place follows what was inserted. */
function selectionAfter(
  users: TextSelection | null,
  place: CursorPlace,
  edit: TextEdit | null,
): TextSelection | null {
  if (users === null || edit === null) return users;
  const move = (offset: number) =>
    offset >= place.start && offset <= place.end
      ? edit.start + edit.inserted
      : shiftOffset(offset, edit);
  return { anchor: move(users.anchor), focus: move(users.focus) };
}

function isAt({ anchor, focus }: TextSelection, { start, end }: CursorPlace): boolean {
  return Math.min(anchor, focus) === start && Math.max(anchor, focus) === end;
}
