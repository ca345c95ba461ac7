import { type ReleaseLock, takeLock } from './held-lock.ts';

const LOCK_NAME = 'diktera:drain';

/** One tab at a time uploads what waits in the queue. */
export type DrainLock = {
  /**
   * Waits for this tab's turn: when no other drains, or the one that did has given it back or died.
   * Answers undefined if `signal` was aborted before.
   */
  take(signal?: AbortSignal): Promise<ReleaseLock | undefined>;
};

/**
 * Makes the drain lock on Web Locks. Without them (`locks` undefined, or refused) there is taken to be
 * one tab only, which drains at once; two tabs would then send a chunk twice, and its id, the request's
 * idempotency key, keeps the server from transcribing it twice.
 */
export function createDrainLock(locks: LockManager | undefined): DrainLock {
  return {
    async take(signal) {
      if (signal?.aborted) return undefined;
      if (!locks) return () => {};
      return takeLock(locks, LOCK_NAME, signal ? { signal } : {}).catch(() => () => {});
    },
  };
}
