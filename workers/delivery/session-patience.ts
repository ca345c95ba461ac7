import type { ErrorInfo } from '../../src/core/errors.ts';

/** Which sessions still wait for texts: one that has lost patience has what comes later brought to its place. */
export type SessionPatience = {
  /** What `work` gives, or why the session waits no longer. */
  wait<Outcome>(sessionId: string, work: Promise<Outcome>): Promise<Outcome | Impatience>;
  /** The session waits for nothing any more, now or later. */
  end(sessionId: string, error: ErrorInfo): void;
  /** Why it does not wait; null while it does. */
  endedBy(sessionId: string): ErrorInfo | null;
};

/** A session does not wait, and why. */
export type Impatience = { readonly kind: 'left'; readonly error: ErrorInfo };

/** Every session waits at first. */
export function createSessionPatience(): SessionPatience {
  const ended = new Map<string, ErrorInfo>();
  const waits = new Map<string, Set<(ending: Impatience) => void>>();

  return {
    async wait(sessionId, work) {
      const error = ended.get(sessionId);
      if (error) return { kind: 'left', error };
      const own = waits.get(sessionId) ?? new Set();
      waits.set(sessionId, own);
      let leave: (ending: Impatience) => void = () => {};
      const left = new Promise<Impatience>((resolve) => {
        leave = resolve;
        own.add(leave);
      });
      try {
        return await Promise.race([work, left]);
      } finally {
        own.delete(leave);
      }
    },
    end(sessionId, error) {
      ended.set(sessionId, error);
      for (const leave of waits.get(sessionId) ?? []) leave({ kind: 'left', error });
    },
    endedBy: (sessionId) => ended.get(sessionId) ?? null,
  };
}
