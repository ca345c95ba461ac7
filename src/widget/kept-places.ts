import type { Dictation } from '../core/contracts/dictation.ts';
import type { SavedCursor } from '../field/cursor-keeper.ts';
import type { EditableField, InsertOptions } from '../field/editable-field.ts';
import { mayComeLater, verdictOf } from '../field/insert-verdict.ts';
import { watchReachable } from '../field/reachable-again.ts';

/** A text that could not be inserted, and where it belongs. */
export type KeptPlace = {
  readonly sessionId: string;
  readonly cursor: SavedCursor;
  readonly options: InsertOptions;
  /** The text has been listed: if it is gone from the list, somebody took or deleted it. */
  readonly isOffered: boolean;
};

/** Places of texts that wait in the queue, since the field could not take them. */
export type KeptPlaces = {
  /** Has the text inserted there as soon as that can be, if nobody has taken it by then. */
  keep(place: KeptPlace): void;
  /** Gives up what is kept. */
  clear(): void;
};

/** Makes the kept places of a field. */
export function createKeptPlaces({
  dictation,
  field,
}: {
  readonly dictation: Dictation;
  readonly field: EditableField;
}): KeptPlaces {
  const ends = new Set<() => void>();

  function keep({ sessionId, cursor, options, isOffered }: KeptPlace): void {
    let isSeen = isOffered;
    let isTrying = false;
    let isDue = false;

    const end = (): void => {
      if (!ends.delete(end)) return;
      unsubscribe();
      unwatch();
      cursor.release();
    };
    let isGiven = false;
    const insert = async (text: string, withdrawn: AbortSignal) => {
      isGiven = true;
      const outcome = await field.insert(text, cursor, { ...options, withdrawn });
      if (!mayComeLater(outcome)) end();
      return verdictOf(outcome);
    };
    const attempt = async (): Promise<void> => {
      if (isTrying || !isDue || textOf(sessionId) !== 'ready') return;
      isDue = false;
      isGiven = false;
      isTrying = true;
      await dictation.takeText(sessionId, insert).catch(() => false);
      isTrying = false;
      // Another tab had the text just then: the next change shows what became of it.
      if (!isGiven) isDue = true;
      else if (ends.has(end)) look();
    };
    const look = (): void => {
      const text = textOf(sessionId);
      isSeen ||= text !== 'none';
      // The text was inserted by hand, or deleted.
      if (isSeen && text === 'none' && !isTrying) end();
      else void attempt();
    };
    const unsubscribe = dictation.subscribe(look);
    const unwatch = watchReachable(field, () => {
      isDue = true;
      void attempt();
    });
    ends.add(end);
    look();
  }

  /**
   * Where the text of a session is: still on its way to the queue, there whole or in part, or
   * nowhere.
   */
  function textOf(sessionId: string): 'coming' | 'ready' | 'parts' | 'none' {
    const { queue, session } = dictation.getSnapshot();
    if (session.id === sessionId || !queue.isLoaded) return 'coming';
    // What is doubted has been in somebody's hands.
    const states = queue.items
      .filter((item) => item.sessionId === sessionId)
      .map(({ state }) => state.kind)
      .filter((kind) => kind !== 'doubted');
    // A worker started anew brings what a dead one had in its memory alone.
    if (states.length === 0) return queue.isRecovered ? 'none' : 'coming';
    return states.every((kind) => kind === 'transcribed') ? 'ready' : 'parts';
  }

  return {
    keep,
    clear() {
      for (const end of [...ends]) end();
    },
  };
}
