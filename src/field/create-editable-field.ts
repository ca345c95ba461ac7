import { isNothing } from '../core/blank-text.ts';
import type { FitToPlace } from '../core/text/fit-to-place.ts';
import { renewFocus } from './borrowed-focus.ts';
import { caretRect } from './caret-rect.ts';
import { createCompositionWatch } from './composition-watch.ts';
import { activeElementOf, isValueInput } from './dom.ts';
import type {
  EditableField,
  FieldPlace,
  InsertOptions,
  InsertOutcome,
  PieceTrail,
} from './editable-field.ts';
import { createPlacedPieces, type InsertPorts, insertAtCursor } from './insert-at-cursor.ts';
import type { Spacing } from './insertion-text.ts';
import { PAGE_TURN_MS } from './page-turn.ts';
import { createSavedCursors, type SavedCursor } from './saved-cursors.ts';
import { createTextSurface, type TextSurface } from './text-surface.ts';

/** Options of `createEditableField`; all may be left out. */
type EditableFieldOptions = {
  /** The time in which the page may cut or change a text that was put in, in ms. @default 350 */
  readonly turnMs?: number;
  /**
   * The longest that an insertion waits for an input method to finish its word, in ms.
   * @default 5,000
   */
  readonly compositionMs?: number;
  /**
   * Called when the field has a first saved cursor, and when it has none any more.
   * @default nothing is called
   */
  readonly onUse?: (isUsed: boolean) => void;
  /**
   * Fetches how a text goes into an input of type email or number; null when it can't be had now.
   * @default none goes in there
   */
  readonly valueInputs?: () => Promise<typeof import('./value-input.ts') | null>;
};

/**
 * Some keyboards, most of all on phones, compose for as long as the caret stands at a word: what
 * waits for their end would wait for ever.
 */
const COMPOSITION_PATIENCE_MS = 5_000;

/** A composition that no event tells of is looked for this often. */
const UNHEARD_CHECK_MS = 50;

/**
 * A field for a text area, an input of type text, search, tel, url, email or number, or an element
 * with `contenteditable`. Throws `bad-option` for any other element.
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
    valueInputs: options.valueInputs ?? (async () => null),
  });
}

/** Without it, blanks alone are fitted: a text does not wait for its last touch. */
const FIT_PATIENCE_MS = 1_000;

let fitting: Promise<FitToPlace | null> | null = null;

/** The rule for capitals and full stops, fetched while somebody speaks; null without it. */
async function fetchRule(
  spacing: Spacing,
  snippets: InsertOptions['snippets'] = [],
): Promise<FitToPlace | null> {
  if (spacing !== 'smart' && snippets.length === 0) return null;
  fitting ??= import('../core/text/fit-to-place.ts').catch(() => {
    fitting = null;
    return null;
  });
  const patience = new Promise<null>((resolve) => setTimeout(resolve, FIT_PATIENCE_MS, null));
  return Promise.race([fitting, patience]);
}

type SurfaceFieldPorts = {
  readonly caretRect: () => DOMRect;
  /** The time in which the page may change a text that was put in, in ms. */
  readonly turnMs: number;
  /** The longest wait for an input method, in ms. */
  readonly compositionMs: number;
  /** Called when it has its first saved cursor, and when it has none any more. */
  readonly onUse: (isUsed: boolean) => void;
  readonly valueInputs: () => Promise<typeof import('./value-input.ts') | null>;
};

/** A field made of a surface and a way to find its caret. */
export function createSurfaceField(
  surface: TextSurface,
  { caretRect, turnMs, compositionMs, onUse, valueInputs }: SurfaceFieldPorts,
): EditableField {
  const { element } = surface;
  const cursors = createSavedCursors(surface, onUse);
  const composition = createCompositionWatch(element.ownerDocument);
  const gone = new AbortController();
  let lastTurn: Promise<unknown> = Promise.resolve();

  const isComposing = (): boolean =>
    composition.isComposing() || (surface.isComposing?.() ?? false);

  /** True when no input method composes any more; false if one goes on for too long. */
  async function isComposed(withdrawn: AbortSignal | undefined): Promise<boolean> {
    const untilMs = performance.now() + compositionMs;
    while (isComposing()) {
      const leftMs = withdrawn?.aborted ? 0 : untilMs - performance.now();
      if (leftMs <= 0) return false;
      if (composition.isComposing()) await composition.untilSettled(leftMs, withdrawn);
      else await new Promise((resolve) => setTimeout(resolve, UNHEARD_CHECK_MS));
    }
    return true;
  }

  async function takeTurn(
    text: string,
    cursor: SavedCursor | null,
    options: InsertOptions,
    pieces?: InsertPorts['pieces'],
  ): Promise<InsertOutcome> {
    const { spacing = 'spec', withdrawn, snippets = [], language } = options;
    const isValue = isValueInput(element);
    const inputs = isValue ? await valueInputs() : null;
    const rule = isValue ? null : await fetchRule(spacing, snippets);
    await untilSlateDrew(element);
    // Also when others were in front of it for so long.
    if (!(await isComposed(withdrawn)) || withdrawn?.aborted) return { kind: 'deferred' };
    if (gone.signal.aborted || !element.isConnected) return { kind: 'gone' };
    const signals = withdrawn ? [gone.signal, withdrawn] : [gone.signal];
    const turn = { turnMs, signals };
    if (isValue) {
      const ports = { element, cursors, turn, language };
      return inputs?.insertValue(ports, text, cursor) ?? { kind: 'deferred' };
    }
    const ports = { surface, cursors, spacing, rule, snippets, turn };
    return insertAtCursor(pieces ? { ...ports, pieces } : ports, text, cursor);
  }

  /**
   * An empty text needs no insertion and no delay, whatever became of the element; a trail counts
   * it all the same.
   */
  const insert = (...[text, ...rest]: Parameters<typeof takeTurn>): Promise<InsertOutcome> =>
    isNothing(text) && !rest[2]
      ? Promise.resolve({ kind: 'empty' })
      : inTurn(() => takeTurn(text, ...rest));

  function inTurn<T>(act: () => Promise<T>): Promise<T> {
    const turn = lastTurn.then(act);
    lastTurn = turn.catch(() => {});
    return turn;
  }

  function trail(cursor: SavedCursor): PieceTrail {
    const pieces = createPlacedPieces({ surface, cursors });
    /** Went from behind the cursor with the last piece that was taken out, and was in no other place. */
    let wentOut = '';
    const seen = () => surface.readText().replaceAll('\u00A0', ' ');
    const takeBack = (count?: number, withdrawn?: AbortSignal) =>
      inTurn(async () => {
        await untilSlateDrew(element);
        const isFree = (await isComposed(withdrawn)) && !withdrawn?.aborted;
        const isThere = !gone.signal.aborted && element.isConnected && surface.isEditable();
        if (!(isFree && isThere)) return { isDone: false, out: [] };
        const before = seen();
        const taken = await pieces.takeBack(count);
        const [now, start = 0] = [seen(), cursors.find(cursor)?.start];
        const went = before.slice(start, start + before.length - now.length);
        const isWhole = before === now.slice(0, start) + went + now.slice(start);
        wentOut = isWhole && !now.startsWith(went, start) ? went : '';
        return taken;
      });
    return {
      insert: (text, options = {}) => insert(text, cursor, options, pieces),
      stands: pieces.stand,
      takeBack: async () => (await takeBack()).out,
      takeBackLast: async (count, withdrawn) => (await takeBack(count, withdrawn)).isDone,
      goBehindUndone() {
        const { start } = cursors.find(cursor) ?? {};
        if (start === undefined || wentOut === '' || !seen().startsWith(wentOut, start))
          return false;
        cursors.move(cursor, start + wentOut.length);
        return true;
      },
      release: pieces.release,
    };
  }

  function placeOf(cursor: SavedCursor): FieldPlace | null {
    const place = gone.signal.aborted || !element.isConnected ? null : cursors.find(cursor);
    return place && { offset: place.end, before: surface.readText().charAt(place.start - 1) };
  }

  return {
    element,
    isEditable: () => surface.isEditable(),
    get isComposing() {
      return isComposing();
    },
    saveCursor(isEndWanted = false, spacing = 'spec') {
      if (gone.signal.aborted || !element.isConnected) return null;
      // Fetched with the first text, that would come behind the end of the recording.
      if (isValueInput(element)) void valueInputs();
      else void fetchRule(spacing);
      const selection = surface.lastSelection();
      if (selection) return cursors.save(selection);
      const end = surface.readText().length;
      return isEndWanted ? cursors.save({ anchor: end, focus: end }) : null;
    },
    insert: (text, cursor, options = {}) => insert(text, cursor, options),
    // An address or a number is inserted whole, never piece by piece.
    ...(isValueInput(element) ? {} : { trail }),
    text: () => surface.visibleText(),
    caretRect,
    // An editor may have a part of its text alone in the element.
    ...(surface.replace ? {} : { placeOf }),
    endComposition() {
      if (!composition.isComposing()) return;
      const users = surface.readSelection();
      renewFocus(element);
      if (users !== null && activeElementOf(element) === element) surface.select(users);
    },
    dispose() {
      gone.abort();
      composition.dispose();
      cursors.dispose();
      surface.dispose();
    },
  };
}

/** A page that draws nothing, being hidden, is not waited for. */
const FRAME_WITHIN_MS = 50;

/**
 * Slate takes text where its own caret is, not where the event says, until React has drawn its last
 * change: within two frames. Every other element is ready at once.
 */
async function untilSlateDrew(element: HTMLElement): Promise<void> {
  if (!element.hasAttribute('data-slate-editor')) return;
  for (let frame = 0; frame < 2; frame += 1) {
    await new Promise<void>((resolve) => {
      setTimeout(resolve, FRAME_WITHIN_MS);
      requestAnimationFrame(() => setTimeout(resolve));
    });
  }
}
