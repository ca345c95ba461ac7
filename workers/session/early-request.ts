import { untilAborted } from '../../src/core/async.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { TranscriptionOptions } from '../../src/core/options/dictation-options.ts';
import type { QueueItem } from '../../src/core/queue/queue-item.ts';
import { classifyStatus, parseRetryAfterMs } from '../../src/core/queue/queue-policy.ts';
import type { PreviewResult } from '../../src/core/speech/live-pieces.ts';
import { deadline } from '../../src/platform/deadline.ts';
import {
  judged,
  readTranscription,
  reviewReasonOf,
  type TranscriptionAnswer,
} from '../upload/transcribe-answer.ts';
import {
  accountHeader,
  isOfOrigin,
  type TranscribeRequest,
  transcriptionForm,
} from '../upload/transcribe-request.ts';

/** What a browser may know of the way to the network. */
type Connection = { readonly saveData?: boolean; readonly effectiveType?: string };

const SLOW: readonly unknown[] = ['slow-2g', '2g', '3g'];

/** False where the browser says that the link is slow, or that data are to be saved. */
export function isLinkFast(): boolean {
  const { connection } = navigator as { readonly connection?: Connection };
  return !connection?.saveData && !SLOW.includes(connection?.effectiveType);
}

/** Later than this it is of no use: the final is asked for anew. */
const TIMEOUT_MS = 10_000;

export type EarlyOutcome = {
  readonly answer: TranscriptionAnswer | null;
  readonly result: PreviewResult;
};

/**
 * Asks once, without a key and without a retry, for the text of speech that may go on. `preview`:
 * it will not be the final text, and the server may let others go first. Never rejects.
 */
export type EarlyRequest = (
  speech: Pick<QueueItem, 'audio' | 'options'>,
  isPreview: boolean,
  signal: AbortSignal,
) => Promise<EarlyOutcome>;

type EarlyRequestPorts = {
  /** Absolute address of the endpoint. */
  readonly url: string;
  readonly clock: Clock;
  readonly fetch: typeof globalThis.fetch;
  /** What may be asked for now; null for nothing. @default all */
  readonly optionsNow?: (options: TranscriptionOptions) => TranscriptionOptions | null;
  /** Whose the speech is; told where that needs no leave of the server. */
  readonly account?: () => string | null;
};

const NO_ANSWER: EarlyOutcome = { answer: null, result: { kind: 'busy', retryAfterMs: null } };

export function createEarlyRequest(ports: EarlyRequestPorts): EarlyRequest {
  const { url, clock, fetch, optionsNow = (options) => options } = ports;
  const { account = () => null } = ports;
  const isOwn = isOfOrigin(url);
  return async ({ audio, options: given }, isPreview, stopped) => {
    const options = optionsNow(given);
    if (options === null) return NO_ANSWER;
    const { signal, end } = deadline(clock, TIMEOUT_MS, stopped);
    try {
      const body = transcriptionForm({ audio, options });
      if (isPreview) body.append('preview', 'true');
      const headers = isOwn ? accountHeader(account()) : {};
      const init: RequestInit = { method: 'POST', headers, body, signal, cache: 'no-store' };
      const response = await untilAborted(fetch(url, init), signal);
      const text = await untilAborted(response.text(), signal);
      const outcome = outcomeOf(response, text, clock.nowMs());
      // A final text is judged with its chunk, of which more is known.
      if (!isPreview || outcome.answer === null) return outcome;
      return { ...outcome, answer: await judged(outcome.answer) };
    } catch {
      return NO_ANSWER;
    } finally {
      end();
    }
  };
}

function outcomeOf({ status, headers }: Response, body: string, nowMs: number): EarlyOutcome {
  const statusClass = classifyStatus(status);
  if (statusClass === 'ok') {
    const answer = readTranscription(body);
    return { answer, result: answer ? 'answered' : 'refused' };
  }
  const retryAfterMs = parseRetryAfterMs(headers.get('Retry-After'), nowMs);
  const isBusy = statusClass === 'retryable';
  return { answer: null, result: isBusy ? { kind: 'busy', retryAfterMs } : 'refused' };
}

/** Answers that were asked for before their chunk was one. */
export type EarlyAnswers = {
  /**
   * The text of this very file has been asked for; null if none comes. It is taken once, and not
   * before the chunk with that file is sent, so that it is stored by then.
   */
  expect(bytes: ArrayBuffer, answer: Promise<TranscriptionAnswer | null>): void;
  /** Asks once for the text of a chunk, unless it has been asked for already. */
  readonly request: TranscribeRequest;
};

/** Nothing was asked for yet; what was not is asked for by `request`. */
export function createEarlyAnswers(request: TranscribeRequest): EarlyAnswers {
  // By the file itself: another one, be it as long, is another question.
  const expected = new WeakMap<ArrayBuffer, Promise<TranscriptionAnswer | null>>();

  return {
    expect: (bytes, answer) => void expected.set(bytes, answer),
    async request(item, signal) {
      const { bytes } = item.audio;
      const early = expected.get(bytes);
      expected.delete(bytes);
      const answer = early && (await untilAborted(early, signal).catch(() => null));
      if (!answer) return request(item, signal);
      const known = await judged(answer, item.speechSamples);
      return { kind: 'answered', text: known.text, needsReview: reviewReasonOf(known, item) };
    },
  };
}
