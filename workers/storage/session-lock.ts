import { type ReleaseLock, takeLock } from './held-lock.ts';

function lockName(sessionId: string): string {
  return `diktera:session:${sessionId}`;
}

/** Tells a session that is being recorded from one whose tab has died. */
export type SessionLocks = {
  /**
   * Takes a session's lock, when recording begins or an orphan is recovered; undefined if another
   * realm has it and keeps it for the next `waitMs`. The browser gives it back when the tab or worker
   * dies.
   */
  take(sessionId: string, waitMs?: number): Promise<ReleaseLock | undefined>;
  /** Whether nobody holds the session's lock: its journal is then to be recovered, after `take`. */
  isOrphan(sessionId: string): Promise<boolean>;
};

/**
 * Makes the session locks on Web Locks. Without them (`locks` undefined) there is taken to be one tab
 * only: what this realm has not taken is an orphan.
 */
export function createSessionLocks(locks: LockManager | undefined): SessionLocks {
  const takenHere = new Set<string>();

  return {
    async take(sessionId, waitMs = 0) {
      if (takenHere.has(sessionId)) return undefined;
      takenHere.add(sessionId);
      const release = locks
        ? await takeLock(
            locks,
            lockName(sessionId),
            waitMs > 0 ? { signal: AbortSignal.timeout(waitMs) } : { ifAvailable: true },
          ).catch(() => () => {})
        : () => {};
      if (!release) takenHere.delete(sessionId);
      return (
        release &&
        (() => {
          takenHere.delete(sessionId);
          release();
        })
      );
    },
    async isOrphan(sessionId) {
      if (takenHere.has(sessionId)) return false;
      const state = await locks?.query().catch(() => undefined);
      return !state?.held?.some(({ name }) => name === lockName(sessionId));
    },
  };
}
