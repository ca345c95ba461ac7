import type { Clock } from '../core/clock.ts';

/** Workers that crash so often within this time will not stop crashing. */
const WINDOW_MS = 60_000;
const CRASHES_BEFORE_END = 3;

/** What to do with a session whose worker has crashed. */
export type AfterCrash =
  | 'go-on'
  /** Go on only to write down what was said, and end. */
  | 'end'
  /** Leave it for a while: the next one would only crash as well. */
  | 'give-up';

/** Counts crashes of workers; the answer says what to do after this one. */
export function createCrashCount(clock: Clock): () => AfterCrash {
  let crashedAtMs: readonly number[] = [];
  return () => {
    const nowMs = clock.nowMs();
    crashedAtMs = [...crashedAtMs.filter((atMs) => nowMs - atMs < WINDOW_MS), nowMs];
    if (crashedAtMs.length < CRASHES_BEFORE_END) return 'go-on';
    return crashedAtMs.length === CRASHES_BEFORE_END ? 'end' : 'give-up';
  };
}
