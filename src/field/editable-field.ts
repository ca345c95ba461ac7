import { isBlank } from '../core/blank-text.ts';
import type { DeliveryVerdict } from '../core/contracts/dictation.ts';
import { renewFocus } from './borrowed-focus.ts';
import { caretRect } from './caret-rect.ts';
import { type CompositionWatch, createCompositionWatch } from './composition-watch.ts';
import { activeElementOf } from './dom.ts';
import { createPlacedPieces, type InsertPorts, insertAtCursor } from './insert-at-cursor.ts';
import type { Spacing } from './insertion-text.ts';
import { PAGE_TURN_MS } from './page-turn.ts';
import { type CursorKeeper, createCursorKeeper, type SavedCursor } from './saved-cursors.ts';
import { createTextSurface, type TextSurface } from './text-surface.ts';

export type InsertOptions = {
  /** The blanks around the text. @default 'spec' */
  readonly spacing?: Spacing;
  /**
   * Aborted, the text is offered elsewhere: one that is not in yet is `deferred` and does not go in
   * with this call any more, and what is in counts as what the page has made of it so far.
   * @default never
   */
  readonly withdrawn?: AbortSignal | undefined;
};

/**
 * What became of a text. After `inserted` and `altered` the saved cursor is used up; after
 * everything else the field is as it was, so the caller must keep the text, and may try again with
 * the same cursor.
 *
 * - `inserted`: it is in the field, as `text` (with its space, newlines collapsed), and the page
 *   left it so.
 * - `altered`: it was put in as `text`, but the page has cut or changed it: what stands there is
 *   not all that was said.
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

/** A dictation that goes in piece by piece, each behind the one before. */
export type PieceTrail = {
  /**
   * As the field's `insert`, at the trail's cursor, which moves behind what was put in and stays
   * saved.
   */
  insert(text: string, options?: InsertOptions): Promise<InsertOutcome>;
  /** Whether any piece stands as it was put in. */
  stands(): boolean;
  /**
   * Takes out every piece that stands as it was put in, and puts back what was selected; what the
   * user or the page has changed stays. The user's undo brings it back. Fulfilled when it is done.
   */
  takeBack(): Promise<void>;
  /** Forgets the pieces; the cursor is released by who saved it. Harmless when done twice. */
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
 * `altered` when what stands in the editor afterwards is not all of the text: another plugin, or
 * the page, may cut it.
 */
export type EditableField = {
  readonly element: HTMLElement;
  /** Whether an input method is composing, here or in another field of the document. */
  readonly isComposing: boolean;
  /**
   * Saves the selection, or the last one the user had here if the selection is elsewhere now. It is
   * kept right while the text changes, until it is used or released. If the user was never here it
   * is the text's end where that is wanted, and else null.
   */
  saveCursor(isEndWanted?: boolean): SavedCursor | null;
  /**
   * Inserts at the cursor, as one undo step, in place of the text that was selected if that is
   * still the same. Waits while an input method composes, though not for ever, and answers when the
   * page has had its turn to change the text; insertions follow one another in the order of the
   * calls. Focus, the user's own caret and what they look at stay as they are; a caret at the very
   * place ends up after the text.
   */
  insert(text: string, cursor: SavedCursor | null, options?: InsertOptions): Promise<InsertOutcome>;
  /**
   * Follows a dictation that goes in piece by piece at this cursor. Left out, the text of a live
   * dictation goes in when it ends.
   */
  trail?(cursor: SavedCursor): PieceTrail;
  /** The text as the user would copy it. */
  text(): string;
  /** Where the caret is, in client coordinates; the first line's start if there is none. */
  caretRect(): DOMRect;
  /**
   * Has an input method take the word it composes here as it stands, as a press beside the field
   * would; called when a button is pressed that leaves the caret in the text. Left out, nothing is
   * done.
   */
  endComposition?(): void;
  /** Stops listening. Waiting insertions end as `gone`. Harmless when done twice. */
  dispose(): void;
};

/** What became of a text, as who hands it over wants to know it. */
export function verdictOf({ kind }: InsertOutcome): DeliveryVerdict {
  if (kind === 'altered') return 'altered';
  // There was no text: nothing is kept of it.
  return kind === 'inserted' || kind === 'empty';
}

/**
 * Whether the same insertion may succeed later, with nothing done about it but what is going on
 * anyway.
 */
export function mayComeLater({ kind }: InsertOutcome): boolean {
  return kind === 'deferred' || kind === 'not-editable';
}

/** Options of `createEditableField`; all may be left out. */
export type EditableFieldOptions = {
  /** How long the page is given to cut or change what was put in, in ms. @default 350 */
  readonly turnMs?: number;
  /**
   * How long an insertion waits for an input method to have done with its word, in ms.
   * @default 5,000
   */
  readonly compositionMs?: number;
  /**
   * Told when the field has a first saved cursor, and when it has none any more.
   * @default nobody is
   */
  readonly onUse?: (isUsed: boolean) => void;
};

/**
 * Some keyboards, most of all on phones, compose for as long as the caret stands at a word: what
 * waits for their end would wait for ever.
 */
const COMPOSITION_PATIENCE_MS = 5_000;

/**
 * A field for a text area, an input of type text, search, tel or url, or an element with
 * `contenteditable`. Throws `bad-option` for any other element: inputs of type email and number
 * have no selection that a script can read.
 */
export function createEditableField(
  element: HTMLElement,
  options: EditableFieldOptions = {},
): EditableField {
  const { turnMs = PAGE_TURN_MS, compositionMs = COMPOSITION_PATIENCE_MS } = options;
  return createSurfaceField(createTextSurface(element), {
    caretRect: () => caretRect(element),
    turnMs,
    compositionMs,
    onUse: options.onUse ?? (() => {}),
  });
}

/** What a field of a surface goes by. */
export type SurfaceFieldPorts = {
  readonly caretRect: () => DOMRect;
  /** How long the page is given to change what was put in, in ms. */
  readonly turnMs: number;
  /** How long an insertion waits for an input method, in ms. */
  readonly compositionMs: number;
  /** Told when it has a first saved cursor, and when it has none any more. */
  readonly onUse: (isUsed: boolean) => void;
};

/** A field made of a surface and a way to find its caret. */
export function createSurfaceField(
  surface: TextSurface,
  { caretRect, turnMs, compositionMs, onUse }: SurfaceFieldPorts,
): EditableField {
  const { element } = surface;
  const keeper: CursorKeeper = createCursorKeeper(surface, onUse);
  const composition: CompositionWatch = createCompositionWatch(element.ownerDocument);
  const gone = new AbortController();
  let lastTurn: Promise<unknown> = Promise.resolve();

  async function takeTurn(
    text: string,
    cursor: SavedCursor | null,
    options: InsertOptions,
    onPlaced?: InsertPorts['onPlaced'],
  ): Promise<InsertOutcome> {
    const { spacing = 'spec', withdrawn } = options;
    const untilMs = performance.now() + compositionMs;
    while (composition.isComposing()) {
      const leftMs = withdrawn?.aborted ? 0 : untilMs - performance.now();
      if (leftMs <= 0) return { kind: 'deferred' };
      await composition.untilSettled(leftMs, withdrawn);
    }
    // Also when others were in front of it for so long.
    if (withdrawn?.aborted) return { kind: 'deferred' };
    if (gone.signal.aborted || !element.isConnected) return { kind: 'gone' };
    const signals = withdrawn ? [gone.signal, withdrawn] : [gone.signal];
    const ports = { surface, keeper, spacing, turn: { turnMs, signals } };
    return insertAtCursor(onPlaced ? { ...ports, onPlaced } : ports, text, cursor);
  }

  /** Of nothing there is nothing to put off, whatever has become of the element. */
  const insert = (...[text, ...rest]: Parameters<typeof takeTurn>): Promise<InsertOutcome> =>
    isBlank(text) ? Promise.resolve({ kind: 'empty' }) : inTurn(() => takeTurn(text, ...rest));

  function inTurn<T>(act: () => Promise<T>): Promise<T> {
    const turn = lastTurn.then(act);
    lastTurn = turn.catch(() => {});
    return turn;
  }

  return {
    element,
    get isComposing() {
      return composition.isComposing();
    },
    saveCursor(isEndWanted = false) {
      if (gone.signal.aborted || !element.isConnected) return null;
      const selection = surface.lastSelection();
      if (selection) return keeper.save(selection);
      const end = surface.readText().length;
      return isEndWanted ? keeper.save({ anchor: end, focus: end }) : null;
    },
    insert: (text, cursor, options = {}) => insert(text, cursor, options),
    trail(cursor) {
      const pieces = createPlacedPieces({ surface, keeper });
      return {
        insert: (text, options = {}) => insert(text, cursor, options, pieces.add),
        stands: pieces.stand,
        takeBack: () =>
          inTurn(async () => {
            if (!gone.signal.aborted && element.isConnected && surface.isEditable())
              pieces.takeBack();
          }),
        release: pieces.release,
      };
    },
    text: () => surface.visibleText(),
    caretRect,
    endComposition() {
      if (!composition.isComposing()) return;
      const users = surface.readSelection();
      renewFocus(element);
      if (users !== null && activeElementOf(element) === element) surface.select(users);
    },
    dispose() {
      gone.abort();
      composition.dispose();
      keeper.dispose();
      surface.dispose();
    },
  };
}
