import type { Clock } from '../../src/core/clock.ts';
import { claimLockName } from '../../src/core/contracts/lock-names.ts';
import { type ReleaseLock, takeLockNow } from './held-lock.ts';

/**
 * Takes the right to insert a session's text: one tab at a time has it, until it gives it back or
 * dies. Undefined if another has it. Without Web Locks there is taken to be one tab only.
 */
export async function takeClaim(
  locks: LockManager | undefined,
  sessionId: string,
  clock: Clock,
): Promise<ReleaseLock | undefined> {
  if (!locks) return () => {};
  return takeLockNow(locks, claimLockName(sessionId), clock).catch(() => () => {});
}
