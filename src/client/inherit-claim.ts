import { createDeferred } from '../core/async.ts';
import { claimLockName } from '../core/contracts/lock-names.ts';

/**
 * Keeps other tabs from a text that this page is inserting, also when the worker that claimed it
 * dies: the page waits behind the worker for the claim's lock. The answer ends that.
 */
export function inheritClaim(
  sessionId: string,
  locks: LockManager | undefined = navigator.locks,
): () => void {
  const waiting = new AbortController();
  const released = createDeferred();
  // Where locks are refused there is taken to be one tab only.
  locks
    ?.request(claimLockName(sessionId), { signal: waiting.signal }, () => released.promise)
    .catch(() => {});
  return () => {
    waiting.abort();
    released.resolve();
  };
}
