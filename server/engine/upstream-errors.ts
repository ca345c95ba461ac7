import { readRetryAfterMs } from '../../src/core/queue/queue-policy.ts';
import { ApiError } from '../core/api-error.ts';

/** Waiting longer than this is the client's affair, not that of a slot here. */
const DEFAULT_RETRY_AFTER_S = 5;
const MAX_RETRY_AFTER_S = 600;

/** Whether the same request may go better a moment later. */
export function isWorthRetrying(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/** The cause of an error: what the upstream answered. */
export class UpstreamAnswered extends Error {
  override readonly name: string = 'UpstreamAnswered';
  readonly status: number;

  constructor(status: number) {
    super(`the upstream answered ${status}`);
    this.status = status;
  }
}

/**
 * What this server answers when the upstream answered `status`. The upstream's body is left out: it
 * could quote speech or a key. A refused key is the operator's affair: 502 for the client, not 401.
 */
export function upstreamError(status: number, retryAfterMs: number | null): ApiError {
  const cause = new UpstreamAnswered(status);
  const retryAfterS = wholeSeconds(retryAfterMs);
  if (status === 413) {
    return new ApiError(413, 'audio_too_long', 'The speech engine takes no audio this long.');
  }
  if (status === 429) {
    const message = 'The speech engine has too much to do; try again shortly.';
    return new ApiError(503, 'engine_busy', message, { cause, retryAfterS });
  }
  if (isWorthRetrying(status)) {
    const message = 'The speech engine is out of order; try again shortly.';
    return new ApiError(503, 'engine_unreachable', message, { cause, retryAfterS });
  }
  const message = `The speech engine refused the request (${status}): its settings here are wrong.`;
  return new ApiError(502, 'engine_refused', message, { cause });
}

/** The account there has no credit left: the operator's affair, like a refused key. */
export function upstreamUnpaid(): ApiError {
  const message = 'The speech engine refuses to go on: its account has no credit left.';
  const cause = new Error('the upstream answered 429 insufficient_quota');
  return new ApiError(502, 'engine_refused', message, { cause });
}

/** No connection, or one that broke. */
export function upstreamUnreachable(cause: unknown): ApiError {
  return new ApiError(503, 'engine_unreachable', 'The speech engine cannot be reached.', {
    cause,
    retryAfterS: DEFAULT_RETRY_AFTER_S,
  });
}

/** No answer in time. */
export function upstreamTimeout(timeoutMs: number): ApiError {
  const message = `The speech engine did not answer within ${Math.round(timeoutMs / 1000)} s.`;
  return new ApiError(504, 'engine_timeout', message, { cause: new Error('time-out') });
}

/** An answer that holds no text. */
export function upstreamAnswerWrong(): ApiError {
  const message = 'The speech engine answered something that is no transcription.';
  return new ApiError(502, 'engine_answer_wrong', message, { cause: new Error('no text') });
}

/** How long an answer asks to wait, in ms: `retry-after-ms`, or `Retry-After` in s or as a date. */
export function retryAfterMsOf(headers: Headers, nowMs: number): number | null {
  const exact = Number(headers.get('retry-after-ms') ?? Number.NaN);
  if (exact >= 0) return exact;
  return readRetryAfterMs(headers.get('retry-after'), nowMs);
}

function wholeSeconds(retryAfterMs: number | null): number {
  if (retryAfterMs === null) return DEFAULT_RETRY_AFTER_S;
  return Math.min(MAX_RETRY_AFTER_S, Math.max(1, Math.ceil(retryAfterMs / 1000)));
}
