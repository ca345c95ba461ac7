import type { DeliveryVerdict } from '../core/contracts/dictation.ts';
import type { WrittenSnippet } from '../core/written-snippet.ts';
import type { Spacing } from './insertion-text.ts';
import type { SavedCursor } from './saved-cursors.ts';

export type InsertOptions = {
  /** The blanks around the text. @default 'spec' */
  readonly spacing?: Spacing;
  /**
   * The parts of the text that snippets wrote: they are not changed to fit the place, and a caret
   * exactly at the place moves to where a snippet sets it. @default none
   */
  readonly snippets?: readonly WrittenSnippet[] | undefined;
  /**
   * Code of the language spoken: "1,234" is another number in English than in Swedish.
   * @default unknown: an ambiguous number does not go into a number field
   */
  readonly language?: string | undefined;
  /**
   * Aborted, the text is offered elsewhere: one that is not in yet is `deferred` and does not go in
   * with this call any more, and what is in counts as what the page has made of it so far.
   * @default never
   */
  readonly withdrawn?: AbortSignal | undefined;
};

/**
 * The outcome of an insertion. After `inserted` and `altered` the saved cursor is used up; after
 * every other the field is as it was, so the caller must keep the text, and may try again with the
 * same cursor.
 *
 * - `inserted`: it is in the field, as `text` (with its space, newlines collapsed), and the page
 *   left it so.
 * - `altered`: it was put in as `text`, but the page has cut or changed it: some of what was said is
 *   missing.
 * - `empty`: there was nothing but white space in it.
 * - `outside`: there is no saved cursor in this field (null, released, used, or another field's).
 * - `gone`: the element left the document, or the field was disposed of.
 * - `not-editable`: it is read-only or disabled.
 * - `no-room`: it is longer than the element's `maxlength` allows; it is not cut.
 * - `refused`: the page took all of it back.
 * - `deferred`: the browser can't insert now without taking the focus for good, because another
 *   frame has it or the element can't be focused (hidden, inert), or without cutting short a word
 *   that an input method has been composing for long.
 */
export type InsertOutcome =
  | { readonly kind: 'inserted' | 'altered'; readonly text: string }
  | {
      readonly kind:
        | 'empty'
        | 'outside'
        | 'gone'
        | 'not-editable'
        | 'no-room'
        | 'refused'
        | 'deferred';
    };

/** A place in a field's text. */
export type FieldPlace = {
  /** In units of the element's text. */
  readonly offset: number;
  /** The character before it; empty at the beginning. */
  readonly before: string;
};

/** A dictation that goes in piece by piece, each behind the one before. */
export type PieceTrail = {
  /**
   * As the field's `insert`, at the trail's cursor, which moves behind what was put in and stays
   * saved.
   */
  insert(text: string, options?: InsertOptions): Promise<InsertOutcome>;
  /** True if any piece stands as it was put in. */
  stands(): boolean;
  /**
   * Takes out every piece that stands as it was put in, and puts back the text that was selected;
   * pieces that the user or the page has changed stay. Waits while an input method composes, as an
   * insertion does. Answers which went out, by their numbers from 0: those that could not be taken
   * out now, since the field is read-only or hidden, or another frame has the focus, still stand.
   * The user's undo brings them back.
   */
  takeBack(): Promise<readonly number[]>;
  /**
   * The same for the last so many insertions alone, each of which was answered by `inserted`,
   * `altered` or `empty`. False if any of them still stands as it was put in: asked again for the
   * same, it tries again; after `withdrawn` it must not take anything out any more. Left out,
   * nothing is taken back while one speaks, and what follows waits for the end.
   */
  takeBackLast?(count: number, withdrawn?: AbortSignal): Promise<boolean>;
  /**
   * True if the user's own undo has put back, at the cursor, what `takeBack` took out: the cursor
   * then goes behind it. Left out, nobody knows, and the pieces may come twice.
   */
  goBehindUndone?(): boolean;
  /** Forgets the pieces, and leaves the cursor saved. Harmless when done twice. */
  release(): void;
};

/**
 * An element whose text can be dictated into.
 *
 * `createEditableField` makes one for `contenteditable`, text areas and inputs. An editor that owns
 * its DOM (Lexical, ProseMirror, TipTap) must never be edited from outside: write an adapter with
 * this interface, whose `saveCursor` takes the editor's own bookmark, whose `insert` is one
 * transaction of the editor (so that its history makes one undo step of it), and whose `caretRect`
 * may use `contentEditableCaretRect` on the editor's element, which only reads. It answers
 * `altered` when the text is not all in the editor afterwards: another plugin, or the page, may cut
 * it.
 */
export type EditableField = {
  readonly element: HTMLElement;
  /**
   * True while the user may change the text. Left out, the element says so: by `contenteditable`, or
   * as a text area does.
   */
  isEditable?(): boolean;
  /** True while an input method is composing, here or in another field of the document. */
  readonly isComposing: boolean;
  /**
   * Saves the selection, or the last one the user had here if the selection is elsewhere now. It is
   * kept right while the text changes, until it is used or released. If the user was never here it
   * is the text's end where that is wanted, and else null. `spacing` is that of the text to come,
   * so that what it needs is at hand by then.
   */
  saveCursor(isEndWanted?: boolean, spacing?: Spacing): SavedCursor | null;
  /**
   * Inserts at the cursor, as one undo step, in place of the text that was selected if that is
   * still the same. Waits while an input method composes, though not for ever, and answers when the
   * page has had its turn to change the text; insertions follow one another in the order of the
   * calls. Focus, the user's own caret and their view stay as they are; a caret at the very place
   * ends up after the text.
   */
  insert(text: string, cursor: SavedCursor | null, options?: InsertOptions): Promise<InsertOutcome>;
  /**
   * Follows a dictation that goes in piece by piece at this cursor. Left out, the text of a live
   * dictation goes in when it ends.
   */
  trail?(cursor: SavedCursor): PieceTrail;
  /** The text as the user would copy it. */
  text(): string;
  /** The caret's rectangle in client coordinates; the first line's start if there is no caret. */
  caretRect(): DOMRect;
  /**
   * The place of a saved cursor in the text; null once it is used up. Without this method live
   * words are shown beside the caret, and no place is marked.
   */
  placeOf?(cursor: SavedCursor): FieldPlace | null;
  /**
   * Has an input method take the word it composes here as it stands, as a press beside the field
   * would; called when a button is pressed that leaves the caret in the text. Left out, nothing is
   * done.
   */
  endComposition?(): void;
  /** Stops listening. Waiting insertions end as `gone`. Harmless when done twice. */
  dispose(): void;
};

/** The verdict on a text, for the deliverer. */
export function verdictOf({ kind }: InsertOutcome): DeliveryVerdict {
  if (kind === 'altered') return 'altered';
  // An empty text needs no place.
  return kind === 'inserted' || kind === 'empty';
}

/** True if the same insertion may succeed later by itself. */
export function mayComeLater({ kind }: InsertOutcome): boolean {
  return kind === 'deferred' || kind === 'not-editable';
}
