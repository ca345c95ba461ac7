import type { Random } from '../clock.ts';
import type { ErrorInfo } from '../errors.ts';
import {
  compareQueueItems,
  type QueueItemHead,
  type WaitingState,
  waitingState,
} from './queue-item.ts';

/** Wait after the first failed round. */
const FIRST_ROUND_DELAY_MS = 30_000;

/** The wait doubles up to this. */
const MAX_ROUND_DELAY_MS = 15 * 60_000;

/** After so many rounds a chunk lets fresher ones go first: it alone may be the trouble. */
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
): WaitingState {
  const delayMs = Math.max(roundDelayMs(rounds, random), retryAfterMs ?? 0);
  return { kind: 'pending', nextAttemptAtMs: nowMs + delayMs, lastError: error };
}

/**
 * When a waiting chunk may be tried, in ms from now; null if it does not wait. A time further off
 * than any wait we set comes from a clock that has since been set back: it counts as now.
 */
export function dueInMs(item: QueueItemHead, nowMs: number): number | null {
  const waiting = waitingState(item.state);
  if (!waiting) return null;
  const inMs = waiting.nextAttemptAtMs - nowMs;
  return isBeyondAnyWait(inMs) ? 0 : Math.max(0, inMs);
}

/** True if a wait, in ms, is longer than any that is ever set: the clock was set back meanwhile. */
export function isBeyondAnyWait(inMs: number): boolean {
  return inMs > MAX_ROUND_DELAY_MS * (1 + JITTER_SHARE);
}

/**
 * True if an error is the network's or the server's, and not one chunk's: the chunk waits for their
 * return.
 */
export function isServerTrouble({ code }: ErrorInfo): boolean {
  return code.startsWith('http-');
}

export function waitsForServer({ state }: QueueItemHead): boolean {
  const error = waitingState(state)?.lastError;
  return error ? isServerTrouble(error) : false;
}

export function isSignedOut({ state }: Pick<QueueItemHead, 'state'>): boolean {
  return waitingState(state)?.lastError?.code === 'http-signed-out';
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

/** Requests in one round: the first and up to 3 retries. */
export const MAX_ATTEMPTS = 4;

/** The most a server's `Retry-After` is obeyed, in ms: nobody waits for an answer that far off. */
export const MAX_RETRY_AFTER_MS = 60_000;

/** First delay; each later one is twice as long. */
const FIRST_DELAY_MS = 300;

/**
 * At most so much of a delay is added, so that many clients do not come back at the same moment.
 */
export const JITTER_SHARE = 0.25;

/** The meaning of an HTTP status for a chunk. */
export type StatusClass =
  /** 2xx. */
  | 'ok'
  /** 408, 425, 429, 5xx, and a redirect that led nowhere: it may work another time. */
  | 'retryable'
  /** 401, 403: nothing will work until somebody signs in. */
  | 'unauthorised'
  /** Any other 4xx: it will never work as it is. */
  | 'rejected';

/** Classifies a status: docs/behaviour.md, The call. */
export function classifyStatus(status: number): StatusClass {
  if (status >= 200 && status < 300) return 'ok';
  if (status === 401 || status === 403) return 'unauthorised';
  if (status === 408 || status === 425 || status === 429) return 'retryable';
  if (status >= 400 && status < 500) return 'rejected';
  return 'retryable';
}

export function honoursRetryAfter(status: number): boolean {
  return status === 413 || status === 429 || status === 503;
}

/**
 * The wait after the `attempt`th request (from 1) of a round has failed, in ms: 0.3 * 2^(attempt-1) s
 * and up to a quarter more; never sooner than the server asked for.
 */
export function retryDelayMs(attempt: number, retryAfterMs: number | null, random: Random): number {
  const delayMs = FIRST_DELAY_MS * 2 ** (attempt - 1);
  return Math.max(withJitter(delayMs, random), retryAfterMs ?? 0);
}

/** A delay and up to a quarter more. */
export function withJitter(delayMs: number, random: Random): number {
  return Math.round(delayMs * (1 + JITTER_SHARE * random()));
}

/** As `readRetryAfterMs`, at most `MAX_RETRY_AFTER_MS`. */
export function parseRetryAfterMs(header: string | null, nowMs: number): number | null {
  const waitMs = readRetryAfterMs(header, nowMs);
  return waitMs === null ? null : Math.min(waitMs, MAX_RETRY_AFTER_MS);
}

/**
 * The wait a `Retry-After` header asks for, in ms, 0 or more: seconds or an HTTP date (RFC 9110,
 * section 10.2.3). Null if there is none or it makes no sense.
 */
export function readRetryAfterMs(header: string | null, nowMs: number): number | null {
  const value = header?.trim() ?? '';
  // The shape is looked at first: Date.parse takes bare numbers for months and years.
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1_000;
  if (!/^[A-Za-z]{3,9},? /.test(value)) return null;
  const dateMs = Date.parse(value);
  return Number.isNaN(dateMs) ? null : Math.max(0, dateMs - nowMs);
}
