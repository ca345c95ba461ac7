import type { Clock } from '../../src/core/clock.ts';

/** The real time. Its timers keep no process alive: what they guard ends with it anyway. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
