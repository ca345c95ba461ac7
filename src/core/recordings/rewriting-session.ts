/** Before the ids of sessions that write a recording down again; no session's own id begins so. */
const PREFIX = 'again:';

/** The id of the session under which a recording is written down for the nth time (from 1). */
export function rewritingSessionId(recordingId: string, ask: number): string {
  return `${PREFIX}${ask}:${recordingId}`;
}

/** The recording that a session writes down again; null if it is an ordinary one. */
export function rewrittenBy(sessionId: string): { recordingId: string; ask: number } | null {
  if (!sessionId.startsWith(PREFIX)) return null;
  const [ask = '', ...rest] = sessionId.slice(PREFIX.length).split(':');
  return { recordingId: rest.join(':'), ask: Number(ask) };
}
