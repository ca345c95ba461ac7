import type { ReleaseLock } from './held-lock.ts';

const LOCK_NAME = 'diktera:sender';

/** How the drain lock is taken. */
export type DrainHow = {
  /** Takes it from a tab that has it and does not live. @default false */
  readonly isStolen?: boolean;
  /** Told when another tab has taken it from this one. */
  readonly onLost?: () => void;
};

/** One tab at a time uploads what waits in the queue. */
export type DrainLock = {
  /**
   * Waits for this tab's turn: when no other drains, or the one that did has given it back or died.
   * Answers undefined if `signal` was aborted before.
   */
  take(signal?: AbortSignal, how?: DrainHow): Promise<ReleaseLock | undefined>;
};

/**
 * Makes the drain lock on Web Locks. Without them (`locks` undefined, or refused) there is taken to
 * be one tab only, which drains at once; two tabs would then send a chunk twice, and its id, the
 * request's idempotency key, keeps the server from transcribing it twice. `name`: of those whose
 * queue it is.
 */
export function createDrainLock(locks: LockManager | undefined, name = ''): DrainLock {
  return {
    async take(signal, { isStolen = false, onLost = () => {} } = {}) {
      if (signal?.aborted) return undefined;
      if (!locks) return () => {};
      // The two do not go together.
      const options: LockOptions = isStolen ? { steal: true } : signal ? { signal } : {};
      return new Promise((resolve) => {
        let isHeld = false;
        const held = locks.request(LOCK_NAME + name, options, () => {
          isHeld = true;
          return new Promise<void>((release) => resolve(() => release()));
        });
        held.catch(() => {
          if (isHeld) onLost();
          else resolve(signal?.aborted ? undefined : () => {});
        });
      });
    },
  };
}
