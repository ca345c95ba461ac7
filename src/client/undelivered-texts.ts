import type { Logger } from '../core/logger.ts';
import type { SnapshotStore } from './snapshot-store.ts';

export type UndeliveredTextsPorts = {
  readonly store: SnapshotStore;
  readonly log: Logger;
  /** Raises or clears the notice `text-not-inserted`. */
  readonly tell: (isRaised: boolean) => void;
};

/** Texts that did not go into the page: a person is told for as long as one of them waits. */
export type UndeliveredTexts = {
  add(sessionId: string): void;
  dispose(): void;
};

export function createUndeliveredTexts({
  store,
  log,
  tell,
}: UndeliveredTextsPorts): UndeliveredTexts {
  /**
   * Whether the queue has been seen to hold it: a snapshot may be older than the end of its
   * session.
   */
  const waiting = new Map<string, boolean>();

  function look(): void {
    const { queue, session } = store.getSnapshot();
    // A worker started anew does not know all at first.
    if (waiting.size === 0 || !queue.isRecovered) return;
    for (const [sessionId, wasSeen] of waiting) {
      const isThere = queue.items.some(
        (item) => item.sessionId === sessionId && item.state.kind !== 'doubted',
      );
      if (isThere) waiting.set(sessionId, true);
      else if (wasSeen && sessionId !== session.id) waiting.delete(sessionId);
    }
    if (waiting.size === 0) tell(false);
  }

  const stop = store.subscribe(look);
  return {
    add(sessionId) {
      log.warn('A text was not inserted and waits in the queue');
      waiting.set(sessionId, false);
      store.tellLate(sessionId);
      tell(true);
      look();
    },
    dispose() {
      stop();
      waiting.clear();
    },
  };
}
