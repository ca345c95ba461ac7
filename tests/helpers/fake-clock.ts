import type { Clock } from '../../src/core/clock.ts';

/** A clock that stands still until the test moves it. */
export type FakeClock = Clock & {
  /**
   * Moves time on, running what falls due on the way in its order. What the timers set off by
   * promises alone has settled when this is fulfilled, and new timers within the time have run too.
   */
  advance(ms: number): Promise<void>;
  /** Moves time without running anything: a computer that slept, or whose clock was set. */
  jump(ms: number): void;
  /** Milliseconds from now until each waiting timer is due, soonest first. */
  waits(): readonly number[];
};

/** A fake clock; starts at some moment of 2023 unless told otherwise. */
export function createFakeClock(startMs = 1_700_000_000_000): FakeClock {
  let nowMs = startMs;
  let timers: readonly Timer[] = [];

  const takeNext = (untilMs: number): Timer | undefined => {
    const next = timers[0];
    if (next === undefined || next.dueMs > untilMs) return undefined;
    timers = timers.slice(1);
    return next;
  };

  return {
    nowMs: () => nowMs,
    after(delayMs, run) {
      const timer: Timer = { dueMs: nowMs + Math.max(0, delayMs), run };
      timers = [...timers, timer].sort((a, b) => a.dueMs - b.dueMs);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    async advance(ms) {
      const untilMs = nowMs + ms;
      await settled();
      for (let timer = takeNext(untilMs); timer; timer = takeNext(untilMs)) {
        nowMs = Math.max(nowMs, timer.dueMs);
        timer.run();
        await settled();
      }
      nowMs = untilMs;
    },
    jump(ms) {
      nowMs += ms;
    },
    waits: () => timers.map((timer) => timer.dueMs - nowMs),
  };
}

type Timer = { readonly dueMs: number; readonly run: () => void };

/** A turn of the real event loop: every promise chain without outside help has run by then. */
function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
