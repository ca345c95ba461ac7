/** Stops a timer; harmless when it has already run. */
export type CancelTimer = () => void;

/**
 * Where time comes from. Real realms pass one made of `Date.now` and `setTimeout`; tests a fake.
 */
export type Clock = {
  /** Milliseconds since 1970; may jump when the computer's clock is set. */
  nowMs(): number;
  /** Runs `run` once, no sooner than `delayMs` from now. */
  after(delayMs: number, run: () => void): CancelTimer;
};

/** Where randomness comes from: a number in `[0, 1)`, as `Math.random` gives. */
export type Random = () => number;

/**
 * True for a time, in ms since 1970, that is later than another. One that is still to come is that
 * of a clock which has been set back since: it counts as earlier.
 */
export function isSince(atMs: number, sinceMs: number, clock: Pick<Clock, 'nowMs'>): boolean {
  return atMs > sinceMs && atMs <= clock.nowMs();
}
