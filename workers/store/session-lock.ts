import { sleep } from '../../src/core/async.ts';
import type { Clock } from '../../src/core/clock.ts';
import { pageLockName, sessionLockName } from '../../src/core/contracts/lock-names.ts';
import { LOCK_DEADLINE_MS, type ReleaseLock, takeLock, takeLockNow } from './held-lock.ts';

/**
 * A hung worker dies 2 s after it has been told to (Chromium), later if its machine is busy; only
 * then does it let go of its lock. The worklet keeps what comes meanwhile for 60 s.
 */
export const DEAD_WORKER_WAIT_MS = 30_000;

/** Tells a session that is being recorded from one whose tab has died. */
export type SessionLocks = {
  /**
   * Takes a session's lock for the page that has it open, when recording begins or its worker died;
   * undefined if another realm has it and keeps it for the next `waitMs`. The browser gives it back
   * when the tab or worker dies.
   */
  take(sessionId: string, waitMs?: number): Promise<ReleaseLock | undefined>;
  /** Takes the lock of a session that nobody has open; undefined if a worker or a page has. */
  takeOrphan(sessionId: string): Promise<ReleaseLock | undefined>;
  /**
   * Whether no worker and no page has the session: its journal is then to be recovered, by
   * `takeOrphan`.
   */
  isOrphan(sessionId: string): Promise<boolean>;
  /** Whether some page has the session open, whichever worker has it. */
  isOpen(sessionId: string): Promise<boolean>;
};

/**
 * Makes the session locks on Web Locks. Without them (`locks` undefined) there is taken to be one
 * tab only: what this realm has not taken is an orphan.
 */
export function createSessionLocks(locks: LockManager | undefined, clock: Clock): SessionLocks {
  const takenHere = new Set<string>();

  async function isHeld(...names: readonly string[]): Promise<boolean> {
    if (!locks) return false;
    const held = locks.query().then(
      (state) =>
        state.held?.some(({ name }) => name !== undefined && names.includes(name)) ?? false,
      () => false,
    );
    // No answer: it may be open elsewhere.
    return Promise.race([held, sleep(clock, LOCK_DEADLINE_MS).then(() => true)]);
  }

  function takeFrom(
    manager: LockManager,
    sessionId: string,
    waitMs: number,
  ): Promise<ReleaseLock | undefined> {
    const name = sessionLockName(sessionId);
    if (waitMs === 0) return takeLockNow(manager, name, clock);
    const waiting = new AbortController();
    const cancel = clock.after(waitMs, () => waiting.abort());
    return takeLock(manager, name, { signal: waiting.signal }).finally(cancel);
  }

  async function take(sessionId: string, waitMs = 0): Promise<ReleaseLock | undefined> {
    if (takenHere.has(sessionId)) return undefined;
    takenHere.add(sessionId);
    const release = locks
      ? await takeFrom(locks, sessionId, waitMs).catch(() => () => {})
      : () => {};
    if (!release) takenHere.delete(sessionId);
    return (
      release &&
      (() => {
        takenHere.delete(sessionId);
        return release();
      })
    );
  }

  return {
    take,
    async takeOrphan(sessionId) {
      const release = await take(sessionId);
      if (!release || !(await isHeld(pageLockName(sessionId)))) return release;
      // Only then can the page's next worker have it (Firefox takes a moment).
      await release();
      return undefined;
    },
    async isOrphan(sessionId) {
      if (takenHere.has(sessionId)) return false;
      return !(await isHeld(sessionLockName(sessionId), pageLockName(sessionId)));
    },
    isOpen: (sessionId) => isHeld(pageLockName(sessionId)),
  };
}
