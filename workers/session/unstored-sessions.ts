import type { Journal } from '../../src/core/session/journal.ts';
import type { UploadQueue } from '../delivery/upload-queue-port.ts';
import type { ReleaseLock } from '../storage/held-lock.ts';

/**
 * Sessions that are over, and of which memory alone has a chunk, since the queue's store did not
 * take it. Their journal stays for a crash, but may have less than memory (it is on the same full
 * disk). So nobody brings it into the queue while this worker lives: it keeps their locks.
 */
export type UnstoredSessions = {
  has(sessionId: string): boolean;
  /**
   * Takes a session's lock over; when all of it is stored, or thrown away, its journal goes, and
   * the lock after it.
   */
  hold(sessionId: string, release: ReleaseLock): void;
  /** The queue has changed. */
  look(): void;
  /** The user throws everything away: the locks are in the way of that. */
  letGoAll(): void;
};

/** Makes an empty list. */
export function createUnstoredSessions(ports: {
  readonly queue: Pick<UploadQueue, 'cache' | 'sessionClosed'>;
  readonly journal: Pick<Journal, 'remove'>;
}): UnstoredSessions {
  const { queue, journal } = ports;
  const held = new Map<string, ReleaseLock>();

  function isUnstored(sessionId: string): boolean {
    const { cache } = queue;
    return cache.list().some((item) => item.sessionId === sessionId && cache.isUnstored(item.id));
  }

  async function letGo(sessionId: string, release: ReleaseLock): Promise<void> {
    held.delete(sessionId);
    // A journal that cannot be removed is found, and cut anew, when the lock is free.
    await journal.remove(sessionId).catch(() => {});
    release();
    queue.sessionClosed();
  }

  function look(): void {
    for (const [sessionId, release] of held) {
      if (!isUnstored(sessionId)) void letGo(sessionId, release);
    }
  }

  return {
    has: (sessionId) => held.has(sessionId),
    hold(sessionId, release) {
      held.set(sessionId, release);
      look();
    },
    look,
    letGoAll() {
      for (const release of held.values()) release();
      held.clear();
    },
  };
}
