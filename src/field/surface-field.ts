import { renewFocus } from './borrowed-focus.ts';
import { type CompositionWatch, createCompositionWatch } from './composition-watch.ts';
import { type CursorKeeper, createCursorKeeper, type SavedCursor } from './cursor-keeper.ts';
import type { EditableField, InsertOptions, InsertOutcome } from './editable-field.ts';
import { insertAtCursor } from './insert-at-cursor.ts';
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
    return insertAtCursor({ surface, keeper, spacing, turn: { turnMs, signals } }, text, cursor);
  }

  return {
    element,
    get isComposing() {
      return composition.isComposing();
    },
    saveCursor() {
      const selection =
        gone.signal.aborted || !element.isConnected ? null : surface.lastSelection();
      return selection === null ? null : keeper.save(selection);
    },
    insert(text, cursor, options = {}) {
      const turn = lastTurn.then(() => takeTurn(text, cursor, options));
      lastTurn = turn.catch(() => {});
      return turn;
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
