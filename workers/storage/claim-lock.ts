import { claimLockName } from '../../src/core/lock-names.ts';
import { type ReleaseLock, takeLock } from './held-lock.ts';

/**
 * Takes the right to insert a session's text: one tab at a time has it, until it gives it back or dies.
 * Undefined if another has it. Without Web Locks there is taken to be one tab only.
 */
export async function takeClaim(
  locks: LockManager | undefined,
  sessionId: string,
): Promise<ReleaseLock | undefined> {
  if (!locks) return () => {};
  return takeLock(locks, claimLockName(sessionId), { ifAvailable: true }).catch(() => () => {});
}
