import { createDeferred } from '../core/async.ts';
import { pageLockName } from '../core/contracts/lock-names.ts';

/**
 * Shows other tabs that this page has a session open, whichever worker has it and while none
 * does: they leave its journal and its chunks alone. The answer ends that.
 */
export function holdPageLock(
  sessionId: string,
  locks: LockManager | undefined = navigator.locks,
): () => void {
  const released = createDeferred();
  // Where locks are refused there is taken to be one tab only.
  locks?.request(pageLockName(sessionId), () => released.promise).catch(() => {});
  return () => released.resolve();
}
