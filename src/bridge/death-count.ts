import type { Clock } from '../core/clock.ts';

/** Workers that die so often within this time will not stop dying. */
const WINDOW_MS = 60_000;
const DEATHS_BEFORE_END = 3;

/** What to do with a session whose worker has died. */
export type AfterDeath =
  | 'go-on'
  /** Go on only to write down what was said, and end. */
  | 'end'
  /** Leave it for a while: the next one would only die as well. */
  | 'give-up';

/** Counts deaths of workers; the answer says what to do after this one. */
export function createDeathCount(clock: Clock): () => AfterDeath {
  let diedAtMs: readonly number[] = [];
  return () => {
    const nowMs = clock.nowMs();
    diedAtMs = [...diedAtMs.filter((atMs) => nowMs - atMs < WINDOW_MS), nowMs];
    if (diedAtMs.length < DEATHS_BEFORE_END) return 'go-on';
    return diedAtMs.length === DEATHS_BEFORE_END ? 'end' : 'give-up';
  };
}
