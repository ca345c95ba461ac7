import type { QueueItemHead } from '../../src/core/queue/queue-item.ts';
import type { LiveChunks } from './live-chunks.ts';
import type { QueueCache } from './queue-cache-port.ts';
import { sessionChunks } from './session-chunks.ts';
import type { ResumedChunk } from './upload-queue-port.ts';

/** What a resumption needs. */
export type SessionResumePorts = {
  readonly cache: QueueCache;
  readonly live: LiveChunks;
  /** Takes a chunk through its round, in its session's turn. */
  readonly deliver: (sessionId: string, id: string) => ResumedChunk['outcome'];
  /** The chunk's text is the session's. */
  readonly give: (id: string) => void;
};

/** Sessions that go on after their worker died. */
export type SessionResume = {
  /**
   * Takes back its chunks, in order. At once: the backlog must see all of it or nothing.
   */
  resume(sessionId: string): readonly ResumedChunk[];
};

export function createSessionResume(ports: SessionResumePorts): SessionResume {
  const { cache, live, deliver, give } = ports;

  function outcomeOf(item: QueueItemHead): ResumedChunk['outcome'] {
    const { id, sessionId } = item;
    const [{ text, doubt } = { text: null, doubt: null }] = sessionChunks([item], sessionId);
    if (text !== null) {
      give(id);
      return { kind: 'transcribed', text, doubt, ids: [id] };
    }
    const failed = failureOf(item);
    if (failed) return { kind: 'left', error: failed, isForAll: false };
    live.add([id]);
    return deliver(sessionId, id);
  }

  return {
    resume(sessionId) {
      return cache
        .list()
        .filter((item) => item.sessionId === sessionId)
        .map((item) => ({ number: item.number, item, outcome: outcomeOf(item) }));
    },
  };
}

/**
 * Why a chunk had left its session before, and is the backlog's or the user's; null if it had not.
 */
function failureOf({ state }: QueueItemHead) {
  if (state.kind === 'parked') return state.error;
  return state.kind === 'waiting' ? state.lastError : null;
}
