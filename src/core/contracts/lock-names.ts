/** The Web Lock held by the worker that records or recovers a session. */
export function sessionLockName(sessionId: string): string {
  return `diktera:session:${sessionId}`;
}

/** The Web Lock of whoever inserts a session's text. */
export function claimLockName(sessionId: string): string {
  return `diktera:claim:${sessionId}`;
}

/** The Web Lock held by the page that has a session open, also while its worker is being replaced. */
export function pageLockName(sessionId: string): string {
  return `diktera:page:${sessionId}`;
}

/** The Web Lock held by the page that has the place of a session's late text. */
export function placeLockName(sessionId: string): string {
  return `diktera:place:${sessionId}`;
}
