import { buildLockName, isBuildLock } from '../../src/core/contracts/app-messages.ts';

/** Whether a page of another build is open; without locks nobody knows, so it may be. */
export async function hasOtherBuilds(
  locks: LockManager | undefined,
  version: string,
): Promise<boolean> {
  if (!locks) return true;
  const { held = [] } = await locks.query();
  const own = buildLockName(version);
  return held.some(({ name = '' }) => isBuildLock(name) && name !== own);
}
