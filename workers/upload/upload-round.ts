import { sleep } from '../../src/core/async.ts';
import type { Clock, Random } from '../../src/core/clock.ts';
import type { ErrorInfo } from '../../src/core/errors.ts';
import type { QueueItem } from '../../src/core/queue/queue-item.ts';
import { MAX_ATTEMPTS, retryDelayMs } from '../../src/core/queue/retry-policy.ts';
import type { RequestOutcome, TranscribeRequest } from './transcribe-request.ts';

/** A request under way. */
export type UnderWay = { readonly sinceMs: number; readonly cut: () => void };

/** What a round needs. */
export type RoundPorts = {
  readonly request: TranscribeRequest;
  readonly clock: Clock;
  readonly random: Random;
  /** Told of each request's beginning; its `cut` ends it as lost: the next one follows. */
  readonly onRequest: (request: UnderWay | null) => void;
  /** Waits for the session's turn, so that it has one request at a time. */
  readonly inTurn: (run: () => Promise<RequestOutcome>) => Promise<RequestOutcome>;
};

/**
 * One upload with its retries: up to 4 requests, for as long as they fail in a way that may pass;
 * one, where somebody answers a chunk that has had its retries.
 * Gives the last outcome. Stops early, with what it knows, when the signal is aborted.
 */
export async function runUploadRound(
  item: QueueItem,
  signal: AbortSignal,
  { request, clock, random, onRequest, inTurn }: RoundPorts,
): Promise<RequestOutcome> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await inTurn(() => {
      const ending = new AbortController();
      const end = () => ending.abort();
      if (signal.aborted) end();
      signal.addEventListener('abort', end);
      onRequest({ sinceMs: clock.nowMs(), cut: end });
      return request(item, ending.signal).finally(() => signal.removeEventListener('abort', end));
    });
    onRequest(null);
    if (outcome.kind !== 'retryable' || attempt === MAX_ATTEMPTS || signal.aborted) return outcome;
    // What is being made ready takes minutes: it waits as what it is, not as being sent.
    if (outcome.error.share !== undefined) return outcome;
    // Who has answered it badly before is asked ever again: once each time.
    if (item.rounds > 0 && isAnswer(outcome.error)) return outcome;
    await sleep(clock, retryDelayMs(attempt, outcome.retryAfterMs, random), signal);
    if (signal.aborted) return outcome;
  }
}

function isAnswer({ code }: ErrorInfo): boolean {
  return code !== 'http-network' && code !== 'http-timeout';
}
