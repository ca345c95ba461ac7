/** The Web Lock held by the worker that records or recovers a session. */
export function sessionLockName(sessionId: string): string {
  return `diktera:session:${sessionId}`;
}

/** The Web Lock of whoever inserts a session's text. */
export function claimLockName(sessionId: string): string {
  return `diktera:claim:${sessionId}`;
}

const PAGE = 'diktera:page:';
const PLACE = 'diktera:place:';

/**
 * The Web Lock held by the page that has a session open, also while its worker is being replaced.
 */
export function pageLockName(sessionId: string): string {
  return `${PAGE}${sessionId}`;
}

/** The Web Lock held by the page that has the place of a session's late text. */
export function placeLockName(sessionId: string): string {
  return `${PLACE}${sessionId}`;
}

/** The session that a page has open, or has the place of, by its lock; null for any other lock. */
export function sessionOfPageLock(name: string): string | null {
  const prefix = [PAGE, PLACE].find((each) => name.startsWith(each));
  return prefix === undefined ? null : name.slice(prefix.length);
}
