import { holdPlace } from '../platform/locks.ts';

/** Tells other tabs that a session's late text has its place in a field of this page. */
export type PlaceHold = {
  /** Fulfilled when they can see it. */
  readonly held: Promise<void>;
  /** Gives it up; fulfilled when they can see that. Harmless when done twice. */
  release(): Promise<void>;
};

/** The places held by this page. */
export type PlaceHolds = {
  hold(sessionId: string): PlaceHold;
  /** Other tabs, and the worker, need not spare any of them any more. */
  letAllGo(): Promise<void>;
  /** The same until `comeBack`: a page that is kept for the back button holds nothing. */
  leave(): void;
  /** Those not let go meanwhile are held anew. */
  comeBack(): void;
};

export function createPlaceHolds(): PlaceHolds {
  /** With the lock that holds each now. */
  const holds = new Map<PlaceHold, { readonly sessionId: string; lock: PlaceHold }>();
  return {
    hold(sessionId) {
      const kept = { sessionId, lock: holdPlace(sessionId) };
      const hold: PlaceHold = {
        held: kept.lock.held,
        release() {
          holds.delete(hold);
          return kept.lock.release();
        },
      };
      holds.set(hold, kept);
      return hold;
    },
    async letAllGo() {
      await Promise.all([...holds.keys()].map((hold) => hold.release()));
    },
    leave() {
      for (const { lock } of holds.values()) void lock.release();
    },
    comeBack() {
      for (const kept of holds.values()) kept.lock = holdPlace(kept.sessionId);
    },
  };
}
