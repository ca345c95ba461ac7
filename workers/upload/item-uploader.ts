import { assertNever } from '../../src/core/assert-never.ts';
import { createDeferred, sleep } from '../../src/core/async.ts';
import type { Clock, Random } from '../../src/core/clock.ts';
import { type ErrorInfo, toErrorInfo } from '../../src/core/errors.ts';
import { LOG_MESSAGES, type Logger } from '../../src/core/logger.ts';
import type { ChunkState, ChunkWords, QueueItem } from '../../src/core/queue/queue-item.ts';
import {
  MAX_ATTEMPTS,
  MAX_RETRY_AFTER_MS,
  retryDelayMs,
  waitAfterRound,
} from '../../src/core/queue/queue-policy.ts';
import { endedWith } from '../../src/platform/deadline.ts';
import type { DictationEntries } from './dictation-entry.ts';
import type { QueueCache } from './queue-cache.ts';
import type { RequestOutcome, TranscribeRequest } from './transcribe-request.ts';

/** The outcome of a chunk's round. */
export type UploadResult =
  | ({ readonly kind: 'answered' } & ChunkWords)
  /** Waits for another round. */
  | { readonly kind: 'waits'; readonly error: ErrorInfo }
  /** The server will not have it, or will not have us: nothing happens until the user says so. */
  | { readonly kind: 'refused'; readonly error: ErrorInfo }
  /** Discarded meanwhile. */
  | { readonly kind: 'gone' };

/** A chunk's round under way. */
type Round = {
  readonly ending: AbortController;
  readonly result: Promise<UploadResult>;
  /** Its request: when it went out, and how it is ended as lost, so that the next one follows. */
  request: { readonly sinceMs: number; readonly end: () => void } | null;
  /** Given up for another tab's. */
  isYielded: boolean;
};

type ItemUploaderPorts = {
  readonly cache: QueueCache;
  readonly entries: DictationEntries;
  readonly request: TranscribeRequest;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
};

const CLOSED: ErrorInfo = { code: 'http-network', message: 'The queue was closed' };

/**
 * Takes single chunks through a round, an upload with its retries, and writes down how it ended.
 */
export type ItemUploader = ReturnType<typeof createItemUploader>;

export function createItemUploader(ports: ItemUploaderPorts) {
  const { cache, entries, request, clock, random, log } = ports;
  const rounds = new Map<string, Round>();
  /** Requests that were under way while nobody was there. */
  let lost: ReadonlySet<Round['request']> = new Set();
  let refusal: ErrorInfo | null = null;
  let quietUntilMs = 0;
  let isDisposed = false;

  function upload(id: string): Promise<UploadResult> {
    const running = rounds.get(id);
    if (running) return running.result;
    const begun = createDeferred();
    const ending = new AbortController();
    const result = begun.promise.then(() => play(id, round)).finally(() => rounds.delete(id));
    const round: Round = { ending, result, request: null, isYielded: false };
    rounds.set(id, round);
    begun.resolve();
    return result;
  }

  async function play(id: string, round: Round): Promise<UploadResult> {
    const head = cache.head(id);
    if (!head) return { kind: 'gone' };
    const known = knownResult(head.state);
    if (known) return known;
    if (refusal) return signOut(id, refusal);
    if (isDisposed) return { kind: 'waits', error: CLOSED };
    const fetched = await cache.fetch(id).catch((thrown) => toErrorInfo(thrown, 'storage-failed'));
    // Removed while it was read.
    if (!fetched || !cache.head(id)) return { kind: 'gone' };
    if (!('audio' in fetched)) return letWait(id, head.rounds, fetched, null);
    cache.note(id, { kind: 'pending', isSending: true });
    return conclude(fetched, await tryAll(fetched, round), round);
  }

  /**
   * Up to 4 requests, for as long as they fail in a way that may pass; one, where somebody answers
   * a chunk that has had its retries. Stops early, with what it knows, when the round is ended.
   */
  async function tryAll(item: QueueItem, round: Round): Promise<RequestOutcome> {
    const { signal } = round.ending;
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await entries.of(item.dictationId).requests.run(() => tryOnce(item, round));
      round.request = null;
      if (outcome.kind !== 'retryable' || attempt === MAX_ATTEMPTS || signal.aborted) {
        return outcome;
      }
      // A language that is made ready takes minutes: the chunk waits for it, and is not shown as
      // being sent.
      if (outcome.error.share !== undefined) return outcome;
      // A server that has answered this chunk badly before is asked once a round.
      if (item.rounds > 0 && isAnswer(outcome.error)) return outcome;
      await sleep(clock, retryDelayMs(attempt, outcome.retryAfterMs, random), signal);
      if (signal.aborted || (await isThrownAway(item))) return outcome;
    }
  }

  /**
   * Another tab may have thrown away its own while this one stood still, which has not heard of it
   * yet. Chunks of this tab stay where the store has lost them.
   */
  async function isThrownAway({ id, dictationId }: QueueItem): Promise<boolean> {
    if (entries.of(dictationId).ownership === 'ours') return false;
    return !(await cache.isStillThere(id));
  }

  function tryOnce(item: QueueItem, round: Round): Promise<RequestOutcome> {
    const { signal, end } = endedWith(round.ending.signal);
    round.request = { sinceMs: clock.nowMs(), end };
    return request(item, signal).finally(end);
  }

  async function conclude(
    item: QueueItem,
    outcome: RequestOutcome,
    round: Round,
  ): Promise<UploadResult> {
    if (isDisposed) return { kind: 'waits', error: CLOSED };
    const now = cache.head(item.id);
    if (!now) return { kind: 'gone' };
    // Cut anew meanwhile: the answer is to less than there is.
    if (now.durationSamples !== item.durationSamples) return play(item.id, round);
    // Another worker's answer was handed over meanwhile.
    const known = knownResult(now.state);
    if (known) return known;
    if (round.isYielded && outcome.kind === 'retryable') return handOn(item.id, outcome.error);
    switch (outcome.kind) {
      case 'answered': {
        await cache.change(item.id, { rounds: item.rounds + 1, state: outcome });
        return outcome;
      }
      case 'retryable':
        return letWait(item.id, item.rounds, outcome.error, outcome.retryAfterMs);
      case 'unauthorised':
        refusal = outcome.error;
        return signOut(item.id, outcome.error);
      case 'rejected':
        return refuse(item, outcome.error);
      default:
        return assertNever(outcome);
    }
  }

  /** Yielded to another tab, not failed: due at once. */
  async function handOn(id: string, lastError: ErrorInfo): Promise<UploadResult> {
    await cache.change(id, {
      state: { kind: 'pending', nextAttemptAtMs: clock.nowMs(), lastError },
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
  async function signOut(id: string, error: ErrorInfo): Promise<UploadResult> {
    log.error(LOG_MESSAGES.uploadFailed, error);
    const state = { kind: 'pending', nextAttemptAtMs: clock.nowMs(), lastError: error } as const;
    await cache.change(id, { state });
    return { kind: 'refused', error };
  }

  async function refuse(item: QueueItem, error: ErrorInfo): Promise<UploadResult> {
    log.error(LOG_MESSAGES.uploadFailed, error);
    await cache.change(item.id, { rounds: item.rounds + 1, state: { kind: 'refused', error } });
    return { kind: 'refused', error };
  }

  return {
    /** One round. Never rejects; asked twice for a chunk, both have the same. */
    upload,
    isBusy: (id: string): boolean => rounds.has(id),
    /** Stops the round of a chunk that has been removed. */
    abort: (id: string): void => rounds.get(id)?.ending.abort(),
    /** Stops a chunk's round and has it wait, due at once: another tab is to send it. */
    yield(id: string): void {
      const round = rounds.get(id);
      if (!round) return;
      round.isYielded = true;
      round.ending.abort();
    },
    /** Nobody is there: requests under way now have no answer to come. */
    serverAway(): void {
      lost = new Set([...rounds.values()].map((round) => round.request));
    },
    /** The server is reachable again: stalled requests are sent again at once. */
    askAgain(): void {
      for (const asked of lost) asked?.end();
      lost = new Set();
    },
    /** When the request of a chunk went out; null if none is under way. */
    askedAtMs: (id: string): number | null => rounds.get(id)?.request?.sinceMs ?? null,
    /** True if the server asked not to be asked just now. */
    get isQuiet(): boolean {
      const leftMs = quietUntilMs - clock.nowMs();
      // Longer than is ever asked for: the clock was set back meanwhile.
      return leftMs > 0 && leftMs <= MAX_RETRY_AFTER_MS;
    },
    /** Why the server refuses us (401, 403); null while it does not. Set, nothing is sent. */
    get refusal(): ErrorInfo | null {
      return refusal;
    },
    /** Lets requests go out again. */
    forgetRefusal(): void {
      refusal = null;
    },
    /** Stops every round; what was under way stays in the queue as it was. */
    dispose(): void {
      isDisposed = true;
      for (const { ending } of rounds.values()) ending.abort();
    },
  };
}

function isAnswer({ code }: ErrorInfo): boolean {
  return code !== 'http-network' && code !== 'http-timeout';
}

/** The outcome of a chunk that needs no round; null if it needs one. */
function knownResult(state: ChunkState): UploadResult | null {
  switch (state.kind) {
    case 'pending':
      return null;
    case 'answered':
      return state;
    case 'delivered':
      return { kind: 'answered', text: '', needsReview: state.needsReview };
    case 'refused':
      return { kind: 'refused', error: state.error };
    default:
      return assertNever(state);
  }
}
