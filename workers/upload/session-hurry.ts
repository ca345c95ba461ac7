import { createDeferred, type Deferred, sleep } from '../../src/core/async.ts';
import type { Clock } from '../../src/core/clock.ts';

/** Which sessions have no time any more: their stop was asked for. */
export type SessionHurry = {
  ask(sessionId: string): void;
  isAsked(sessionId: string): boolean;
  /** Fulfilled after so long, or as soon as the session has no time. */
  orAfter(sessionId: string, delayMs: number): Promise<void>;
};

/** Every session has time at first. */
export function createSessionHurry(clock: Clock): SessionHurry {
  const asked = new Set<string>();
  const waiting = new Map<string, Deferred<void>>();
  return {
    ask(sessionId) {
      asked.add(sessionId);
      waiting.get(sessionId)?.resolve();
      waiting.delete(sessionId);
    },
    isAsked: (sessionId) => asked.has(sessionId),
    async orAfter(sessionId, delayMs) {
      if (asked.has(sessionId)) return;
      const hurried = waiting.get(sessionId) ?? createDeferred();
      waiting.set(sessionId, hurried);
      await Promise.race([hurried.promise, sleep(clock, delayMs)]);
    },
  };
}
