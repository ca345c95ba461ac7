import type { WaitingDictation } from './waiting-dictations.ts';
import type { Words } from './words.ts';

const MINUTE_MS = 60_000;

/** Where a dictation stands, in words: "Väntar på nätet, nytt försök om 2 min". */
export function waitingStateWords(
  { state, doneItems, items }: WaitingDictation,
  nowMs: number,
  words: Words['waiting'],
): string {
  const own = words.states[state.kind];
  const facts = [own];
  if ('nextAttemptAtMs' in state) facts.push(nextTryWords(state.nextAttemptAtMs - nowMs, words));
  if (doneItems > 0 && doneItems < items.length) {
    facts.push(words.states.partly(doneItems, items.length));
  }
  return facts.join(', ');
}

function nextTryWords(inMs: number, { nextTry }: Words['waiting']): string {
  if (inMs < 1_000) return nextTry.now;
  if (inMs < MINUTE_MS) return nextTry.seconds(Math.ceil(inMs / 1_000));
  return nextTry.minutes(Math.round(inMs / MINUTE_MS));
}

/** How long somebody spoke, in words. */
export function lengthWords(lengthMs: number, { length }: Words['waiting']): string {
  if (lengthMs < MINUTE_MS) return length.seconds(Math.max(1, Math.round(lengthMs / 1_000)));
  return length.minutes(Math.round(lengthMs / MINUTE_MS));
}
