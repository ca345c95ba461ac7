import { placeLockName } from '../../src/core/contracts/lock-names.ts';

/** Whether some page, this worker's own included, holds the place of a session's late text. */
export async function isPlaceHeld(
  locks: LockManager | undefined,
  sessionId: string,
): Promise<boolean> {
  const state = await locks?.query().catch(() => undefined);
  return state?.held?.some(({ name }) => name === placeLockName(sessionId)) ?? false;
}
