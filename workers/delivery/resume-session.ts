import type { QueueItemHead } from '../../src/core/queue/queue-item.ts';
import type { QueueCache } from '../queue/queue-cache-port.ts';
import type { LiveChunks } from './live-chunks.ts';
import { type SessionChunk, sessionChunks } from './session-chunks.ts';
import type { ResumedChunk } from './upload-queue-port.ts';

/** What a resumption needs. */
export type SessionResumePorts = {
  readonly cache: QueueCache;
  readonly live: LiveChunks;
  /** Takes a chunk through its round, in its session's turn; `ids` are it, or its parts. */
  readonly deliver: (sessionId: string, ids: readonly string[]) => ResumedChunk['outcome'];
  /** The chunks' texts are the session's. */
  readonly give: (ids: readonly string[]) => void;
};

/** Sessions that go on after their worker died. */
export type SessionResume = {
  /**
   * Takes back the chunks before `nextNumber`, in order. At once: the backlog must see all of it or
   * nothing.
   */
  resume(sessionId: string, nextNumber: number): readonly ResumedChunk[];
};

export function createSessionResume(ports: SessionResumePorts): SessionResume {
  const { cache, live, deliver, give } = ports;

  function outcomeOf(
    sessionId: string,
    items: readonly QueueItemHead[],
    { text, doubt }: SessionChunk,
  ): ResumedChunk['outcome'] {
    const ids = items.map(({ id }) => id);
    if (text !== null) {
      give(ids);
      return { kind: 'transcribed', text, doubt, ids };
    }
    const failed = items.map(failureOf).find((error) => error !== null);
    if (failed) return { kind: 'left', error: failed, isForAll: false };
    live.add(ids);
    return deliver(sessionId, ids);
  }

  return {
    resume(sessionId, nextNumber) {
      const items = cache.list().filter((item) => item.sessionId === sessionId);
      return sessionChunks(items, sessionId)
        .filter(({ number }) => number < nextNumber)
        .map((chunk) => {
          const { number, ids } = chunk;
          const parts = items.filter(({ id }) => ids.includes(id));
          return { number, items: parts, outcome: outcomeOf(sessionId, parts, chunk) };
        });
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
