import type { Strings } from './strings-sv.ts';
import type { WaitingDictation } from './waiting-dictations.ts';

const MINUTE_MS = 60_000;

/** Where a dictation stands, in words: "Väntar på nätet, nytt försök om 2 min". */
export function waitingStateText(
  { state, doneItems, items }: WaitingDictation,
  nowMs: number,
  strings: Strings['waiting'],
): string {
  const own =
    state.kind === 'preparing'
      ? strings.states.preparing(Math.floor(100 * state.share))
      : strings.states[state.kind];
  const facts = [own];
  if ('nextAttemptAtMs' in state) facts.push(nextTryText(state.nextAttemptAtMs - nowMs, strings));
  if (doneItems > 0 && doneItems < items.length) {
    facts.push(strings.states.partly(doneItems, items.length));
  }
  return facts.join(', ');
}

function nextTryText(inMs: number, { nextTry }: Strings['waiting']): string {
  if (inMs < 1_000) return nextTry.now;
  if (inMs < MINUTE_MS) return nextTry.seconds(Math.ceil(inMs / 1_000));
  return nextTry.minutes(Math.round(inMs / MINUTE_MS));
}

/** How long somebody spoke, in words. */
export function lengthText(lengthMs: number, { length }: Strings['waiting']): string {
  if (lengthMs < MINUTE_MS) return length.seconds(Math.max(1, Math.round(lengthMs / 1_000)));
  return length.minutes(Math.round(lengthMs / MINUTE_MS));
}
