/** Stops a timer; harmless when it has already run. */
export type CancelTimer = () => void;

/** Where time comes from. Real realms pass one made of `Date.now` and `setTimeout`; tests a fake. */
export type Clock = {
  /** Milliseconds since 1970; may jump when the computer's clock is set. */
  nowMs(): number;
  /** Runs `run` once, no sooner than `delayMs` from now. */
  after(delayMs: number, run: () => void): CancelTimer;
};

/** Where randomness comes from: a number in `[0, 1)`, as `Math.random` gives. */
export type Random = () => number;
