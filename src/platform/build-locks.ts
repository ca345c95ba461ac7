import { heldNames, holdUntilReleased, type Locks, type ReleaseLock } from './locks.ts';

// Beside the other locks, since they are for a page at rest: what it loads first has none of it.

const IN_USE = 'diktera:in-use';
const BUILD = 'diktera:build:';

/** Shows other tabs that a reload of this page would cost somebody something. The answer ends that. */
export function holdInUse(locks: Locks = navigator.locks): ReleaseLock {
  return holdUntilReleased(locks, IN_USE, { mode: 'shared' }).release;
}

/** Does something while no page is in use, and none begins to be; nothing if one is. */
export async function whileNoneInUse(
  act: () => Promise<void>,
  locks: Locks = navigator.locks,
): Promise<void> {
  const { isHad, release } = holdUntilReleased(locks, IN_USE, { ifAvailable: true });
  if (!(await isHad)) return;
  await act().finally(release);
}

/** Shows the service worker that a page of this build is open, for as long as the page lives. */
export function holdBuild(version: string, locks: Locks = navigator.locks): void {
  holdUntilReleased(locks, BUILD + version, { mode: 'shared' });
}

/** True if a page of another build is open, or may be, as without Web Locks. */
export async function hasOtherBuilds(
  version: string,
  locks: Locks = navigator.locks,
): Promise<boolean> {
  const own = BUILD + version;
  const names = await heldNames(locks);
  return names?.some((name) => name.startsWith(BUILD) && name !== own) ?? true;
}
