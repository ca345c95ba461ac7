import { assertNever } from '../../src/core/assert-never.ts';
import type { Clock, Random } from '../../src/core/clock.ts';
import { type ErrorInfo, toErrorInfo } from '../../src/core/errors.ts';
import { LOG_MESSAGES } from '../../src/core/log-messages.ts';
import type { Logger } from '../../src/core/logger.ts';
import type { QueueItem, QueueItemState, TextDoubt } from '../../src/core/queue/queue-item.ts';
import { waitAfterRound } from '../../src/core/queue/queue-policy.ts';
import { MAX_RETRY_AFTER_MS } from '../../src/core/queue/retry-policy.ts';
import type { QueueCache } from './queue-cache-port.ts';
import type { RequestOutcome, TranscribeRequest } from './transcribe-request.ts';
import { createTurns } from './turns.ts';
import { runUploadRound, type UnderWay } from './upload-round.ts';

/** What became of a chunk in one round. */
export type UploadResult =
  | { readonly kind: 'transcribed'; readonly text: string; readonly doubt: TextDoubt | null }
  /** Waits for another round. */
  | { readonly kind: 'waits'; readonly error: ErrorInfo }
  /** The server will not have it, or will not have us: nothing happens until the user says so. */
  | { readonly kind: 'refused'; readonly error: ErrorInfo }
  /** Discarded meanwhile. */
  | { readonly kind: 'gone' };

/** What an uploader needs. */
export type ItemUploaderPorts = {
  readonly cache: QueueCache;
  readonly request: TranscribeRequest;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
};

const CLOSED: ErrorInfo = { code: 'http-network', message: 'The queue was closed' };

/** Takes single chunks through a round and writes down how it ended. */
export type ItemUploader = {
  /** One round. Never rejects; asked twice for a chunk, the second waits for the first. */
  upload(id: string): Promise<UploadResult>;
  /** Whether a round is under way. */
  isBusy(id: string): boolean;
  /** Stops the round of a chunk that has been removed. */
  abort(id: string): void;
  /** Stops a chunk's round and has it wait, due at once: another tab is to send it. */
  yield(id: string): void;
  /** Nobody is there: what is under way now has no answer to come. */
  serverAway(): void;
  /** Somebody is there again: what has no answer to come is asked anew at once. */
  askAgain(): void;
  /** When the request of a chunk went out; null if none is under way. */
  askedAtMs(id: string): number | null;
  /** Whether the server asked not to be asked just now. */
  readonly isQuiet: boolean;
  /** Why the server refuses us (401, 403); null while it does not. Set, nothing is sent. */
  readonly refusal: ErrorInfo | null;
  /** Lets requests go out again. */
  forgetRefusal(): void;
  /** Stops every round; what was under way stays in the queue as it was. */
  dispose(): void;
};

/** Makes an uploader. A session has one request at a time, whoever asks for it. */
export function createItemUploader(ports: ItemUploaderPorts): ItemUploader {
  const { cache, request, clock, random, log } = ports;
  const itemTurns = createTurns();
  const sessionTurns = createTurns();
  const rounds = new Map<string, AbortController>();
  const underWay = new Map<string, UnderWay>();
  /** Those that were under way while nobody was there. */
  let lost: ReadonlySet<UnderWay> = new Set();
  /** Chunks whose round was given up for another tab's. */
  const yielded = new Set<string>();
  let refusal: ErrorInfo | null = null;
  let quietUntilMs = 0;
  let isDisposed = false;

  async function upload(id: string): Promise<UploadResult> {
    const head = cache.head(id);
    if (!head) return { kind: 'gone' };
    const known = knownResult(head.state);
    if (known) return known;
    if (refusal) return refuse(id, refusal);
    if (isDisposed) return { kind: 'waits', error: CLOSED };
    const fetched = await cache.fetch(id).catch((thrown) => toErrorInfo(thrown, 'storage-failed'));
    // Removed while it was read, it has no round yet that could be stopped.
    if (!fetched || !cache.head(id)) return { kind: 'gone' };
    if (!('audio' in fetched)) return letWait(id, head.rounds, fetched, null);

    const controller = new AbortController();
    rounds.set(id, controller);
    cache.note(id, { kind: 'sending' });
    const outcome = await runUploadRound(fetched, controller.signal, {
      request,
      clock,
      random,
      onRequest(request) {
        if (request) underWay.set(id, request);
        else underWay.delete(id);
      },
      inTurn: (run) => sessionTurns.run(fetched.sessionId, run),
    });
    rounds.delete(id);
    return conclude(fetched, outcome);
  }

  async function conclude(item: QueueItem, outcome: RequestOutcome): Promise<UploadResult> {
    const isYielded = yielded.delete(item.id);
    if (isDisposed) return { kind: 'waits', error: CLOSED };
    const now = cache.head(item.id);
    if (!now) return { kind: 'gone' };
    // Cut anew meanwhile: the answer is to less than there is.
    if (now.durationSamples !== item.durationSamples) return upload(item.id);
    // Another worker's answer was handed over meanwhile.
    const known = knownResult(now.state);
    if (known) return known;
    if (isYielded && outcome.kind === 'retryable') return handOn(item.id, outcome.error);
    switch (outcome.kind) {
      case 'transcribed': {
        await cache.change(item.id, { rounds: item.rounds + 1, state: outcome });
        return outcome;
      }
      case 'retryable':
        return letWait(item.id, item.rounds, outcome.error, outcome.retryAfterMs);
      case 'unauthorised':
        refusal = outcome.error;
        return refuse(item.id, outcome.error);
      case 'rejected':
        return park(item, outcome.error);
      default:
        return assertNever(outcome);
    }
  }

  /** Yielded to another tab, not failed: due at once. */
  async function handOn(id: string, lastError: ErrorInfo): Promise<UploadResult> {
    await cache.change(id, {
      state: { kind: 'waiting', nextAttemptAtMs: clock.nowMs(), lastError },
    });
    return { kind: 'waits', error: lastError };
  }

  async function letWait(
    id: string,
    roundsBefore: number,
    error: ErrorInfo,
    retryAfterMs: number | null,
  ): Promise<UploadResult> {
    log.error(LOG_MESSAGES.uploadFailed, error);
    quietUntilMs = retryAfterMs === null ? 0 : clock.nowMs() + retryAfterMs;
    const failedRounds = roundsBefore + 1;
    const state = waitAfterRound(failedRounds, error, retryAfterMs, clock.nowMs(), random);
    await cache.change(id, { rounds: failedRounds, state });
    return { kind: 'waits', error };
  }

  /** The chunk may go as soon as any may. */
  async function refuse(id: string, error: ErrorInfo): Promise<UploadResult> {
    log.error(LOG_MESSAGES.uploadFailed, error);
    const state = { kind: 'waiting', nextAttemptAtMs: clock.nowMs(), lastError: error } as const;
    await cache.change(id, { state });
    return { kind: 'refused', error };
  }

  async function park(item: QueueItem, error: ErrorInfo): Promise<UploadResult> {
    log.error(LOG_MESSAGES.uploadFailed, error);
    await cache.change(item.id, { rounds: item.rounds + 1, state: { kind: 'parked', error } });
    return { kind: 'refused', error };
  }

  return {
    upload: (id) => itemTurns.run(id, () => upload(id)),
    isBusy: (id) => rounds.has(id),
    abort: (id) => rounds.get(id)?.abort(),
    yield(id) {
      const controller = rounds.get(id);
      if (!controller) return;
      yielded.add(id);
      controller.abort();
    },
    serverAway() {
      lost = new Set(underWay.values());
    },
    askAgain() {
      for (const request of lost) request.cut();
      lost = new Set();
    },
    askedAtMs: (id) => underWay.get(id)?.sinceMs ?? null,
    get isQuiet() {
      const leftMs = quietUntilMs - clock.nowMs();
      // Longer than is ever asked for: the clock was set back meanwhile.
      return leftMs > 0 && leftMs <= MAX_RETRY_AFTER_MS;
    },
    get refusal() {
      return refusal;
    },
    forgetRefusal() {
      refusal = null;
    },
    dispose() {
      isDisposed = true;
      for (const controller of rounds.values()) controller.abort();
    },
  };
}

/** What became of a chunk that needs no round; null if it does. */
function knownResult(state: QueueItemState): UploadResult | null {
  switch (state.kind) {
    case 'waiting':
    case 'sending':
      return null;
    case 'transcribed':
      return state;
    case 'doubted':
      return { kind: 'transcribed', text: '', doubt: state.why };
    case 'parked':
      return { kind: 'refused', error: state.error };
    default:
      return assertNever(state);
  }
}
