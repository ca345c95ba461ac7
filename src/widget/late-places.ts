import type { DeliveryVerdict, Dictation } from '../core/contracts/dictation.ts';
import {
  type EditableField,
  type InsertOptions,
  mayComeLater,
  verdictOf,
} from '../field/editable-field.ts';
import { watchReachable, watchRemoval } from '../field/field-watches.ts';
import type { SavedCursor } from '../field/saved-cursors.ts';

/** A text that could not be inserted, and where it belongs. */
export type KeptPlace = {
  readonly dictationId: string;
  readonly cursor: SavedCursor;
  readonly options: InsertOptions;
  /** The text has been listed: if it is gone from the list, somebody took or deleted it. */
  readonly isOffered: boolean;
};

/** Places of texts that wait in the queue, since the field could not take them. */
export type KeptPlaces = ReturnType<typeof createKeptPlaces>;

/** Makes the kept places of a field. */
export function createKeptPlaces({
  dictation,
  field,
}: {
  readonly dictation: Dictation;
  readonly field: EditableField;
}) {
  async function keep({ dictationId, cursor, options, isOffered }: KeptPlace): Promise<void> {
    let isSeen = isOffered;
    let isTrying = false;
    let isDue = false;
    let isOver = false;

    const end = (): void => {
      if (isOver) return;
      isOver = true;
      for (const stop of stops) stop();
      cursor.release();
      void held.then((letGo) => letGo());
    };
    let isGiven = false;
    const insert = async (text: string, withdrawn: AbortSignal) => {
      isGiven = true;
      const outcome = await field.insert(text, cursor, { ...options, withdrawn });
      if (!mayComeLater(outcome)) end();
      return verdictOf(outcome);
    };
    const attempt = async (): Promise<void> => {
      if (isTrying || !isDue || textOf(dictationId) !== 'ready') return;
      isDue = false;
      isGiven = false;
      isTrying = true;
      await dictation.takeText(dictationId, insert).catch(() => false);
      isTrying = false;
      // Another tab had the text just then: the next change shows what became of it.
      if (!isGiven) isDue = true;
      else if (!isOver) look();
    };
    const look = (): void => {
      const text = textOf(dictationId);
      isSeen ||= text !== 'none';
      // The text was inserted by hand, or deleted.
      if (isSeen && text === 'none' && !isTrying) end();
      else void attempt();
    };
    const stops = [
      dictation.subscribe(look),
      watchReachable(field, () => {
        isDue = true;
        void attempt();
      }),
      watchRemoval(field.element, end),
    ];
    const held = dictation.holdPlace(dictationId);
    look();
    await held;
  }

  /**
   * State of a dictation's text: on its way to the queue, there whole or in part, or gone.
   */
  function textOf(dictationId: string): 'coming' | 'ready' | 'parts' | 'none' {
    const { queue, session } = dictation.getSnapshot();
    if (session.id === dictationId || !queue.isLoaded) return 'coming';
    // A text that needs review was delivered already.
    const states = queue.items
      .filter((item) => item.dictationId === dictationId)
      .map(({ state }) => state.kind)
      .filter((kind) => kind !== 'delivered');
    // A worker started anew brings what a dead one had in its memory alone.
    if (states.length === 0) return queue.isRecovered ? 'none' : 'coming';
    return states.every((kind) => kind === 'answered') ? 'ready' : 'parts';
  }

  return {
    /**
     * Inserts the text as soon as the field takes it, unless somebody has taken it by then or the
     * element is gone. Fulfilled when other tabs spare it.
     */
    keep,
  };
}

/**
 * Puts a text where the user is in a field, or was last, else at its end, and says what became of
 * it.
 */
export async function insertHere(
  field: EditableField,
  text: string,
  options: InsertOptions = {},
): Promise<DeliveryVerdict> {
  const cursor = field.saveCursor(true);
  const outcome = await field.insert(text, cursor, options);
  cursor?.release();
  return verdictOf(outcome);
}
