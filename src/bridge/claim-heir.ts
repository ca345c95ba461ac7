import { claimLockName } from '../core/contracts/lock-names.ts';

/**
 * Keeps other tabs from a text that this page is inserting, also when the worker that claimed it dies: the page
 * waits behind the worker for the claim's lock. The answer ends that.
 */
export function inheritClaim(
  sessionId: string,
  locks: LockManager | undefined = navigator.locks,
): () => void {
  const waiting = new AbortController();
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  // Where locks are refused there is taken to be one tab only.
  locks
    ?.request(claimLockName(sessionId), { signal: waiting.signal }, () => released)
    .catch(() => {});
  return () => {
    waiting.abort();
    release();
  };
}
