import type { Clock } from '../core/clock.ts';

/** The browser's own time. Only the entries pass it on: everything else is given a `Clock`. */
export const browserClock: Clock = {
  nowMs: () => Date.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};
