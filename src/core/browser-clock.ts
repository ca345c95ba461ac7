import type { Clock } from './clock.ts';

// Core knows no realm's globals; these two are the same on a page and in a worker.
declare function setTimeout(run: () => void, delayMs: number): number;
declare function clearTimeout(timer: number): void;

/** The browser's own time. Only the entries pass it on: everything else is given a `Clock`. */
export const browserClock: Clock = {
  nowMs: () => Date.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};
