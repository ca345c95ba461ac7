import { createDeferred, type Deferred } from '../../src/core/async.ts';
import type { ErrorInfo } from '../../src/core/errors.ts';
import type { ChunkLeft } from './chunk-outcome.ts';

/**
 * Which sessions still wait for texts: one that does not has what comes later brought to
 * its place.
 */
export type SessionWaits = {
  /** What `work` gives, or why the session waits no longer. */
  wait<Outcome>(sessionId: string, work: Promise<Outcome>): Promise<Outcome | ChunkLeft>;
  /** The session waits for nothing any more, now or later. */
  end(sessionId: string, error: ErrorInfo): void;
  /** Why it does not wait; null while it does. */
  endedBy(sessionId: string): ErrorInfo | null;
};

/** Every session waits at first. */
export function createSessionWaits(): SessionWaits {
  const ended = new Map<string, ErrorInfo>();
  const pending = new Map<string, Set<Deferred<ChunkLeft>>>();

  return {
    async wait(sessionId, work) {
      const error = ended.get(sessionId);
      if (error) return leftBy(error);
      const own = pending.get(sessionId) ?? new Set();
      pending.set(sessionId, own);
      const left = createDeferred<ChunkLeft>();
      own.add(left);
      try {
        return await Promise.race([work, left.promise]);
      } finally {
        own.delete(left);
      }
    },
    end(sessionId, error) {
      ended.set(sessionId, error);
      for (const left of pending.get(sessionId) ?? []) left.resolve(leftBy(error));
    },
    endedBy: (sessionId) => ended.get(sessionId) ?? null,
  };
}

function leftBy(error: ErrorInfo): ChunkLeft {
  return { kind: 'left', error, isForAll: true };
}
