import { isBlank } from '../core/blank-text.ts';
import { renewFocus } from './borrowed-focus.ts';
import { type CompositionWatch, createCompositionWatch } from './composition-watch.ts';
import { type CursorKeeper, createCursorKeeper, type SavedCursor } from './cursor-keeper.ts';
import type { EditableField, InsertOptions, InsertOutcome } from './editable-field.ts';
import { type InsertPorts, insertAtCursor } from './insert-at-cursor.ts';
import { createPlacedPieces } from './placed-pieces.ts';
import type { TextSurface } from './text-surface.ts';
import { activeElementOf } from './tree-scope.ts';

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
