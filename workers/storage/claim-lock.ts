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
  const name = `diktera:claim:${sessionId}`;
  return takeLock(locks, name, { ifAvailable: true }).catch(() => () => {});
}
