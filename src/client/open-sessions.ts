import { sessionOfPageLock } from '../core/contracts/lock-names.ts';

/** The sessions that some page has open now, or whose late texts have their places there. */
export async function openSessionIds(
  locks: LockManager | undefined = navigator.locks,
): Promise<readonly string[]> {
  const state = await locks?.query().catch(() => undefined);
  return (state?.held ?? []).flatMap(({ name = '' }) => sessionOfPageLock(name) ?? []);
}
