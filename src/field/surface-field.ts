import { type CompositionWatch, createCompositionWatch } from './composition-watch.ts';
import { type CursorKeeper, createCursorKeeper, type SavedCursor } from './cursor-keeper.ts';
import type { EditableField, InsertOptions, InsertOutcome } from './editable-field.ts';
import { insertAtCursor } from './insert-at-cursor.ts';
import type { TextSurface } from './text-surface.ts';

/** A field made of a surface and a way to find its caret. */
export function createSurfaceField(surface: TextSurface, caretRect: () => DOMRect): EditableField {
  const { element } = surface;
  const keeper: CursorKeeper = createCursorKeeper(surface);
  const composition: CompositionWatch = createCompositionWatch(element.ownerDocument);
  let isDisposed = false;
  let lastTurn: Promise<unknown> = Promise.resolve();

  async function takeTurn(
    text: string,
    cursor: SavedCursor | null,
    options: InsertOptions,
  ): Promise<InsertOutcome> {
    while (composition.isComposing()) await composition.untilSettled();
    if (isDisposed || !element.isConnected) return { kind: 'gone' };
    return insertAtCursor({ surface, keeper }, text, cursor, options.spacing ?? 'spec');
  }

  return {
    element,
    get isComposing() {
      return composition.isComposing();
    },
    saveCursor() {
      const selection = isDisposed || !element.isConnected ? null : surface.lastSelection();
      return selection === null ? null : keeper.save(selection);
    },
    insert(text, cursor, options = {}) {
      const turn = lastTurn.then(() => takeTurn(text, cursor, options));
      lastTurn = turn.catch(() => {});
      return turn;
    },
    text: () => surface.visibleText(),
    caretRect,
    dispose() {
      isDisposed = true;
      composition.dispose();
      keeper.dispose();
      surface.dispose();
    },
  };
}
