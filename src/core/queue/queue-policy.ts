import type { Random } from '../clock.ts';
import type { ErrorInfo } from '../errors.ts';
import { compareQueueItems, type QueueItemHead, type QueueItemState } from './queue-item.ts';
import { JITTER_SHARE, withJitter } from './retry-policy.ts';

/** Wait after the first failed round (design, section 5). */
const FIRST_ROUND_DELAY_MS = 30_000;

/** The wait doubles up to this. */
const MAX_ROUND_DELAY_MS = 15 * 60_000;

/** Rounds after which a chunk lets fresher ones go first: perhaps only it is the trouble. */
const TROUBLED_ROUNDS = 3;

/**
 * The wait before the next round after `rounds` (from 1) failed: 30 s doubling to 15 min, jittered.
 */
export function roundDelayMs(rounds: number, random: Random): number {
  const doublings = Math.max(0, rounds - 1);
  return withJitter(Math.min(FIRST_ROUND_DELAY_MS * 2 ** doublings, MAX_ROUND_DELAY_MS), random);
}

/**
 * The state of a chunk whose `rounds`th round has failed; not tried again before `retryAfterMs`.
 */
export function waitAfterRound(
  rounds: number,
  error: ErrorInfo,
  retryAfterMs: number | null,
  nowMs: number,
  random: Random,
): QueueItemState & { readonly kind: 'waiting' } {
  const delayMs = Math.max(roundDelayMs(rounds, random), retryAfterMs ?? 0);
  return { kind: 'waiting', nextAttemptAtMs: nowMs + delayMs, lastError: error };
}

/**
 * When a waiting chunk may be tried, in ms from now; null if it does not wait. A time further off
 * than any wait we set comes from a clock that has since been set back: it counts as now.
 */
export function dueInMs(item: QueueItemHead, nowMs: number): number | null {
  if (item.state.kind !== 'waiting') return null;
  const inMs = item.state.nextAttemptAtMs - nowMs;
  return isBeyondAnyWait(inMs) ? 0 : Math.max(0, inMs);
}

/** Whether a wait, in ms, is longer than any that is ever set: the clock was set back meanwhile. */
export function isBeyondAnyWait(inMs: number): boolean {
  return inMs > MAX_ROUND_DELAY_MS * (1 + JITTER_SHARE);
}

/**
 * Whether an error is the network's or the server's, and not one chunk's: what waits for it waits
 * for their return.
 */
export function isServerTrouble({ code }: ErrorInfo): boolean {
  return code.startsWith('http-');
}

/** Whether a chunk waits for the network's or the server's return. */
export function waitsForServer({ state }: QueueItemHead): boolean {
  return state.kind === 'waiting' && state.lastError !== null && isServerTrouble(state.lastError);
}

/** Whether a chunk waits for somebody to sign in. */
export function isSignedOut({ state }: Pick<QueueItemHead, 'state'>): boolean {
  return state.kind === 'waiting' && state.lastError?.code === 'http-signed-out';
}

/** The chunk to send next: due, the oldest first, those that failed often after all others. */
export function chooseNext(
  items: Iterable<QueueItemHead>,
  nowMs: number,
): QueueItemHead | undefined {
  return [...items].filter((item) => dueInMs(item, nowMs) === 0).sort(compareTurns)[0];
}

function compareTurns(a: QueueItemHead, b: QueueItemHead): number {
  const trouble = Number(a.rounds >= TROUBLED_ROUNDS) - Number(b.rounds >= TROUBLED_ROUNDS);
  return trouble || compareQueueItems(a, b);
}
