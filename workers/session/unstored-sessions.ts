import type { Journal } from '../../src/core/session/journal.ts';
import type { ReleaseLock } from '../store/held-lock.ts';
import type { UploadQueue } from '../upload/upload-queue.ts';

/** Removes the journal of a session that needs none any more; rejects if that could not be done. */
export type SettleJournal = () => Promise<void>;

/**
 * Sessions that are over, and of which memory alone has something, since storage did not take it: a
 * chunk, or how far the journal is cut, or that it is gone. Cut anew by others, what was delivered
 * would come twice, and the journal may have less than memory (it is on the same full disk). So
 * nobody brings it into the queue while this worker lives: it keeps their locks.
 */
export type UnstoredSessions = {
  has(sessionId: string): boolean;
  /**
   * Takes a session's lock over; when all of it is stored, or thrown away, its journal is settled,
   * and the lock given back after it. Fulfilled when that was tried as far as it can be now.
   */
  hold(sessionId: string, release: ReleaseLock, settle: SettleJournal): Promise<void>;
  /** The queue has changed, or time has passed. */
  look(): void;
  /** The session's lock goes to who throws it away; undefined if it is not held. */
  takeFrom(sessionId: string): ReleaseLock | undefined;
};

type Held = {
  readonly release: ReleaseLock;
  readonly settle: SettleJournal;
  /** Undefined while it may not be settled yet. */
  settling: Promise<void> | undefined;
  /** The journal knows what is to be done, and has not written it yet. */
  isAsked: boolean;
};

/** Makes an empty list. */
export function createUnstoredSessions(ports: {
  readonly queue: Pick<UploadQueue, 'cache' | 'sessionClosed'>;
  readonly journal: Pick<Journal, 'flush'>;
}): UnstoredSessions {
  const { queue, journal } = ports;
  const held = new Map<string, Held>();

  async function letGo(sessionId: string, own: Held): Promise<void> {
    const settled = own.isAsked ? journal.flush(sessionId) : own.settle();
    own.isAsked = true;
    const isSettled = await settled.then(
      () => true,
      () => false,
    );
    // A chunk that came meanwhile: its turn comes when it is stored.
    own.isAsked &&= !queue.cache.hasUnstored(sessionId);
    if (!isSettled || !own.isAsked || held.get(sessionId) !== own) return;
    held.delete(sessionId);
    await own.release();
    queue.sessionClosed();
  }

  /** Once at a time. */
  async function settleIfStored(sessionId: string, own: Held): Promise<void> {
    if (!own.settling && queue.cache.hasUnstored(sessionId)) return;
    own.settling ??= letGo(sessionId, own).finally(() => {
      own.settling = undefined;
    });
    await own.settling;
  }

  return {
    has: (sessionId) => held.has(sessionId),
    hold(sessionId, release, settle) {
      const own: Held = { release, settle, settling: undefined, isAsked: false };
      held.set(sessionId, own);
      return settleIfStored(sessionId, own);
    },
    look() {
      for (const [sessionId, own] of held) void settleIfStored(sessionId, own);
    },
    takeFrom(sessionId) {
      const own = held.get(sessionId);
      held.delete(sessionId);
      return own?.release;
    },
  };
}
