import { untilAborted } from '../../src/core/async.ts';
import { AUDIO_EXTENSIONS } from '../../src/core/audio/audio-types.ts';
import type { Clock } from '../../src/core/clock.ts';
import { DikteraError, type ErrorInfo, toErrorInfo } from '../../src/core/errors.ts';
import { idempotencyKey, type QueueItem, type TextDoubt } from '../../src/core/queue/queue-item.ts';
import {
  classifyStatus,
  honoursRetryAfter,
  parseRetryAfterMs,
} from '../../src/core/queue/retry-policy.ts';
import { fetchForm } from './fetch-form.ts';
import { doubtOf } from './text-doubt.ts';
import {
  lacksLanguage,
  readServerError,
  readShare,
  readTranscription,
} from './transcribe-answer.ts';

/** Per attempt, the answer's body included (spec, section 7). */
const DEFAULT_TIMEOUT_MS = 120_000;

/** How one request ended. `retryAfterMs` is what the server asked for, clamped to 60 s. */
export type RequestOutcome =
  | { readonly kind: 'transcribed'; readonly text: string; readonly doubt: TextDoubt | null }
  /**
   * Network, time-out, 408, 425, 429, 5xx, a 4xx of somebody else (not 401, 413), or an answer that
   * is none.
   */
  | {
      readonly kind: 'retryable';
      readonly error: ErrorInfo;
      readonly retryAfterMs: number | null;
    }
  /** 401, and 403 in the contract's own words. */
  | { readonly kind: 'unauthorised'; readonly error: ErrorInfo }
  /**
   * 413, and any other 4xx in the contract's own words: what stands in between knows nothing of
   * chunks but how large they are.
   */
  | { readonly kind: 'rejected'; readonly error: ErrorInfo };

/** Asks once for the text of a chunk. Never rejects; an aborted request is `retryable`. */
export type TranscribeRequest = (item: QueueItem, signal: AbortSignal) => Promise<RequestOutcome>;

/** What a request needs. */
export type TranscribeRequestPorts = {
  /** Absolute address of the endpoint. */
  readonly url: string;
  readonly clock: Clock;
  /** @default `fetchForm` */
  readonly fetch?: typeof fetch;
  /** @default 120000 */
  readonly timeoutMs?: number;
};

/** The spec's call, `POST /api/asr/vad` (section 7), one attempt at a time. */
export function createTranscribeRequest(ports: TranscribeRequestPorts): TranscribeRequest {
  const { url, clock, fetch = fetchForm, timeoutMs = DEFAULT_TIMEOUT_MS } = ports;
  const call = `POST ${url.replace(/[?#].*$/, '')}`;

  return async (item, signal) => {
    const controller = new AbortController();
    const stop = () => controller.abort(new DikteraError('http-network', `${call}: stopped`));
    const cancelTimer = clock.after(timeoutMs, () =>
      controller.abort(
        new DikteraError('http-timeout', `${call}: no answer within ${timeoutMs} ms`),
      ),
    );
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    try {
      const init = toRequest(item, controller.signal);
      const response = await untilAborted(fetch(url, init), controller.signal);
      return await toOutcome(item, response, controller.signal, call, clock.nowMs());
    } catch (thrown) {
      const error = controller.signal.aborted ? controller.signal.reason : thrown;
      return { kind: 'retryable', error: toRequestError(error, call), retryAfterMs: null };
    } finally {
      cancelTimer();
      signal.removeEventListener('abort', stop);
    }
  };
}

function toRequest(item: QueueItem, signal: AbortSignal): RequestInit {
  const body = transcriptionForm(item);
  const headers = { 'Idempotency-Key': idempotencyKey(item) };
  return { method: 'POST', headers, body, signal, cache: 'no-store' };
}

/** The form that the spec's call takes (section 7). */
export function transcriptionForm({
  audio,
  options,
}: Pick<QueueItem, 'audio' | 'options'>): FormData {
  const body = new FormData();
  const file = new Blob([audio.bytes], { type: audio.type });
  body.append('audioFile', file, `dictation.${AUDIO_EXTENSIONS[audio.type]}`);
  body.append('removePii', String(options.removePii));
  body.append('fixSpelling', String(options.fixSpelling));
  body.append('language', options.language);
  body.append('fast', String(options.fast));
  return body;
}

async function toOutcome(
  item: QueueItem,
  response: Response,
  signal: AbortSignal,
  call: string,
  nowMs: number,
): Promise<RequestOutcome> {
  const { status, headers } = response;
  const statusClass = classifyStatus(status);
  if (statusClass === 'ok') {
    const answer = readTranscription(await untilAborted(response.text(), signal));
    if (answer) return { kind: 'transcribed', text: answer.text, doubt: doubtOf(answer, item) };
    // Not shown: what a strange answer holds may be somebody's words.
    throw new DikteraError('http-answer-wrong', `${call}: ${status}, but no transcription in it`);
  }
  // The status says enough when the rest of the answer never comes.
  const body = await untilAborted(response.text(), signal).catch(() => '');
  const ownError = readServerError(body);
  const reason = ownError ?? response.statusText;
  const message = reason === '' ? `${call}: ${status}` : `${call}: ${status} ${reason}`;
  const share = readShare(body);
  const code = lacksLanguage(body) ? 'language-missing' : 'http-status';
  const error: ErrorInfo = { code, message, ...(share !== null && { share }) };
  const retryAfterMs = honoursRetryAfter(status)
    ? parseRetryAfterMs(headers.get('Retry-After'), nowMs)
    : null;
  // A proxy or a portal in between says nothing of the chunk, nor of who may ask.
  const isOfChunk = status === 413 || (statusClass !== 'rejected' && status !== 403);
  const kind = ownError === null && !isOfChunk ? 'retryable' : statusClass;
  return kind === 'retryable' ? { kind, error, retryAfterMs } : { kind, error };
}

function toRequestError(thrown: unknown, call: string): ErrorInfo {
  if (thrown instanceof DikteraError) return toErrorInfo(thrown, 'http-network');
  const cause = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: 'http-network', message: `${call}: ${cause}` };
}
