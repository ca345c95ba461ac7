import { takeLock } from './held-lock.ts';

const LOCK_PREFIX = 'diktera:place:';

/** Tells other tabs that a session's late text has its place in a field of a tab that lives. */
export type PlaceLocks = {
  /** Holds the place until the answer is called or the tab dies. */
  hold(sessionId: string): Promise<() => void>;
  /** Whether some tab holds it. */
  isHeld(sessionId: string): Promise<boolean>;
};

/** Makes the place locks on Web Locks. Without them there is taken to be one tab only. */
export function createPlaceLocks(locks: LockManager | undefined): PlaceLocks {
  return {
    async hold(sessionId) {
      const name = LOCK_PREFIX + sessionId;
      const release =
        locks && (await takeLock(locks, name, { mode: 'shared' }).catch(() => undefined));
      return release ?? (() => {});
    },
    async isHeld(sessionId) {
      const state = await locks?.query().catch(() => undefined);
      return state?.held?.some(({ name }) => name === LOCK_PREFIX + sessionId) ?? false;
    },
  };
}
