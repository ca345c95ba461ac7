import { untilAborted } from '../../src/core/async.ts';
import { SAMPLE_RATE_HZ, samplesToMs } from '../../src/core/audio/audio-format.ts';
import { AUDIO_EXTENSIONS } from '../../src/core/audio/audio-types.ts';
import { hasWord } from '../../src/core/blank-text.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { DeliveryVerdict } from '../../src/core/contracts/dictation.ts';
import {
  DikteraError,
  type ErrorCode,
  type ErrorInfo,
  toErrorInfo,
} from '../../src/core/errors.ts';
import {
  type ChunkState,
  type ChunkWords,
  idempotencyKey,
  type QueueItem,
  type QueueItemHead,
  type ReviewReason,
  wordsOf,
} from '../../src/core/queue/queue-item.ts';
import {
  classifyStatus,
  honoursRetryAfter,
  parseRetryAfterMs,
  type StatusClass,
} from '../../src/core/queue/queue-policy.ts';
import { deadline } from '../../src/platform/deadline.ts';

/** Longer reasons are cut: they stand in snapshots and logs. */
const MAX_REASON_LENGTH = 300;

/** The content of a 200 answer. */
export type TranscriptionAnswer = {
  readonly text: string;
  /**
   * False if the server itself says that the text may not be all, or says something else than that
   * it is.
   */
  readonly isComplete: boolean;
  /** A server like ours has taken out already what its engine invented. @default false */
  readonly isJudged?: boolean;
  /** The server's own words on where it was said. @default none */
  readonly parts?: unknown;
};

/** The text in the body of a 200 answer; null if the body is not what the contract says. */
export function readTranscription(body: string): TranscriptionAnswer | null {
  const answer = parseObject(body);
  if (typeof answer?.transcription !== 'string') return null;
  const { transcription: text, complete = true, textRules, parts } = answer;
  const isJudged = toObject(textRules) !== null;
  const more = { ...(isJudged && { isJudged }), ...(parts !== undefined && { parts }) };
  return { text, isComplete: complete === true, ...more };
}

/**
 * `code: message` out of an error answer, `{ error: { code, message } }`; null if it is another.
 */
function readServerError(body: string): string | null {
  const error = toObject(parseObject(body)?.error);
  const parts = [error?.code, error?.message].filter((part) => typeof part === 'string');
  return parts.length === 0 ? null : parts.join(': ').slice(0, MAX_REASON_LENGTH);
}

/** True if an error answer says that the server cannot write the language. */
function lacksLanguage(body: string): boolean {
  return toObject(parseObject(body)?.error)?.code === 'language_not_supported';
}

/**
 * Progress, 0 to 1, of what the server makes ready, as an error answer tells; null if it tells
 * none.
 */
function readShare(body: string): number | null {
  const share = toObject(parseObject(body)?.error)?.share;
  return typeof share === 'number' && share >= 0 && share <= 1 ? share : null;
}

type JsonObject = { readonly [key: string]: unknown };

function parseObject(body: string): JsonObject | null {
  try {
    return toObject(JSON.parse(body));
  } catch {
    return null;
  }
}

function toObject(value: unknown): JsonObject | null {
  return typeof value === 'object' && value !== null ? { ...value } : null;
}

/** Detected speech that lasts as long has words in it. */
const WORDLESS_SPEECH_SAMPLES = SAMPLE_RATE_HZ;

/**
 * An answer without what its engine invented, over so much speech, where that is known. The rule is
 * fetched for servers that have none; where it cannot be, the words come as they are.
 */
export async function judged(
  answer: TranscriptionAnswer,
  speechSamples?: number,
): Promise<TranscriptionAnswer> {
  if (answer.isJudged) return answer;
  try {
    const { judgeAnswer } = await import('../../src/core/text/judge-answer.ts');
    const evidence = speechSamples === undefined ? {} : { speechMs: samplesToMs(speechSamples) };
    const { text, isComplete } = judgeAnswer(answer.text, evidence);
    return { ...answer, text, isComplete: answer.isComplete && isComplete };
  } catch {
    return answer;
  }
}

/** The words of a chunk's answer, and why they may not be all. */
export async function answered(
  answer: TranscriptionAnswer,
  item: Pick<QueueItemHead, 'speechSamples' | 'ranges'>,
): Promise<RequestOutcome & { readonly kind: 'answered' }> {
  const known = await judged(answer, item.speechSamples);
  const { text, parts } = known;
  const told = parts === undefined ? null : await import('./word-times.ts').catch(() => null);
  const times = told?.timesIn(parts, text, item.ranges);
  const needsReview = reviewReasonOf(known, item);
  return { kind: 'answered', text, ...(times && { times }), needsReview };
}

/** Why an answer cannot be all that was said in a chunk; null if it can. */
export function reviewReasonOf(
  { text, isComplete }: TranscriptionAnswer,
  { speechSamples }: Pick<QueueItemHead, 'speechSamples'>,
): ReviewReason | null {
  if (!hasWord(text) && speechSamples > WORDLESS_SPEECH_SAMPLES) return 'empty';
  return isComplete ? null : 'incomplete';
}

/** The state of a chunk once its text is in the user's hands. */
export function afterDelivery(
  { state, speechSamples }: Pick<QueueItemHead, 'state' | 'speechSamples'>,
  verdict: Exclude<DeliveryVerdict, false>,
): ChunkState & { readonly kind: 'delivered' } {
  if (state.kind === 'delivered') return state;
  if (state.kind !== 'answered') return { kind: 'delivered', text: '', needsReview: null };
  const words = wordsOf(state);
  const needsReview = state.needsReview ?? (verdict === 'altered' ? 'altered' : null);
  if (needsReview) return { kind: 'delivered', ...words, needsReview, hasAudio: true };
  // A worker that died before its answer was stored left a text that only the page knows.
  const text = words.heard ?? words.text;
  return {
    kind: 'delivered',
    ...words,
    needsReview: reviewReasonOf({ text, isComplete: true }, { speechSamples }),
  };
}

/** True if an address is of the page's own origin; where there is no page there is no other. */
export function isOfOrigin(address: string): boolean {
  const { origin } = globalThis;
  return origin === undefined || new URL(address, origin).origin === origin;
}

/**
 * The realm's `fetch`, but a form goes as the bytes it is made of: of each form with a file that a
 * worker sends, Chromium (156) keeps the file in memory until the worker ends. WebKit (2.50) gives
 * nobody the bytes of a form with a file; there it goes as it is.
 */
export const fetchForm: typeof globalThis.fetch = async (address, init) => {
  if (!(init?.body instanceof FormData)) return fetch(address, init);
  const form = new Response(init.body);
  const body = await form.arrayBuffer().catch(() => null);
  if (body === null) return fetch(address, init);
  const headers = new Headers(init.headers);
  headers.set('Content-Type', form.headers.get('Content-Type') ?? '');
  return fetch(address, { ...init, headers, body });
};

/** Per attempt, the answer's body included. */
const DEFAULT_TIMEOUT_MS = 120_000;

/** The end of one request. `retryAfterMs` is the server's wish, clamped to 60 s. */
export type RequestOutcome =
  | ({ readonly kind: 'answered' } & ChunkWords)
  /**
   * Network, time-out, 408, 425, 429, 5xx, another server's 4xx (not 401, 413, 415), or an answer
   * that cannot be read; `http-signed-out` for a sign-in page.
   */
  | {
      readonly kind: 'retryable';
      readonly error: ErrorInfo;
      readonly retryAfterMs: number | null;
    }
  /** 401, and 403 in the contract's own words, but for where the page comes from. */
  | { readonly kind: 'unauthorised'; readonly error: ErrorInfo }
  /**
   * 413 and 415, and any other 4xx in the contract's own words. A proxy in between may answer the
   * first two itself: it judges a chunk's size and type alone.
   */
  | { readonly kind: 'rejected'; readonly error: ErrorInfo; readonly status: number };

/** Asks once for the text of a chunk. Never rejects; an aborted request is `retryable`. */
export type TranscribeRequest = (item: QueueItem, signal: AbortSignal) => Promise<RequestOutcome>;

/** Ports of a request. */
type TranscribeRequestPorts = {
  /** Absolute address of the endpoint. */
  readonly url: string;
  readonly clock: Clock;
  /** @default `fetchForm` */
  readonly fetch?: typeof fetch;
  /**
   * True if the server takes an `Idempotency-Key` from another origin's page. One that does not
   * would refuse the request for it; one of the page's own origin is always given the key.
   * @default it does
   */
  readonly takesKeys?: () => boolean;
  /**
   * The account that the chunks belong to: a server that knows people takes them from nobody else.
   */
  readonly account?: () => string | null;
  /** Names and terms to expect, as much of them as the server takes. @default none */
  readonly vocabulary?: () => Promise<string>;
  /** True if the server can be asked where each word was said. @default it cannot */
  readonly tellsTimes?: () => boolean;
  /** @default 120000 */
  readonly timeoutMs?: number;
};

/** The call of the server, `POST /api/asr/vad`, one attempt at a time. */
export function createTranscribeRequest(ports: TranscribeRequestPorts): TranscribeRequest {
  const { url, clock, fetch = fetchForm, timeoutMs = DEFAULT_TIMEOUT_MS } = ports;
  const { takesKeys = () => true, account = () => null, vocabulary = async () => '' } = ports;
  const { tellsTimes = () => false } = ports;
  const isOwn = isOfOrigin(url);
  const call = `POST ${url.replace(/[?#].*$/, '')}`;

  /**
   * A request that is redirected to another origin's sign-in fails as one without a network does.
   * Asking the address again without following redirects tells the two apart.
   */
  async function leadsElsewhere(signal: AbortSignal): Promise<boolean> {
    const asking = fetch(url, { redirect: 'manual', cache: 'no-store', signal });
    return untilAborted(asking, signal).then(
      ({ type }) => type === 'opaqueredirect',
      () => false,
    );
  }

  const endError = (isStopped: boolean): DikteraError =>
    isStopped
      ? new DikteraError('http-network', `${call}: stopped`)
      : new DikteraError('http-timeout', `${call}: no answer within ${timeoutMs} ms`);

  return async (item, stopped) => {
    const { signal, end } = deadline(clock, timeoutMs, stopped);
    try {
      // Without heads of ours it is a request that a browser sends to any origin without asking first.
      const headers = isOwn || takesKeys() ? toHeaders(item, account()) : {};
      const body = transcriptionForm(item, await vocabulary(), tellsTimes());
      const init: RequestInit = { method: 'POST', headers, body, signal, cache: 'no-store' };
      const response = await untilAborted(fetch(url, init), signal);
      return await toOutcome(item, response, signal, call, clock.nowMs());
    } catch (thrown) {
      const error = signal.aborted ? endError(stopped.aborted) : thrown;
      const isNetwork = !(error instanceof DikteraError);
      const isSignedOut = isNetwork && isOwn && (await leadsElsewhere(signal));
      const found = isSignedOut ? signedOut(`${call}: led to another origin`) : error;
      return { kind: 'retryable', error: toRequestError(found, call), retryAfterMs: null };
    } finally {
      end();
    }
  };
}

function toHeaders(item: QueueItem, account: string | null): Record<string, string> {
  return { 'Idempotency-Key': idempotencyKey(item), ...accountHeader(account) };
}

/** Says whose sound it is. */
export function accountHeader(account: string | null): Record<string, string> {
  return account === null ? {} : { 'Diktera-Account': encodeURIComponent(account) };
}

/** The form that `POST /api/asr/vad` takes. */
export function transcriptionForm(
  { audio, options }: Pick<QueueItem, 'audio' | 'options'>,
  vocabulary = '',
  asksTimes = false,
): FormData {
  const body = new FormData();
  const file = new Blob([audio.bytes], { type: audio.type });
  body.append('audioFile', file, `dictation.${AUDIO_EXTENSIONS[audio.type]}`);
  body.append('removePii', String(options.removePii));
  body.append('fixSpelling', String(options.fixSpelling));
  body.append('language', options.language);
  body.append('fast', String(options.fast));
  if (vocabulary !== '') body.append('vocabulary', vocabulary);
  if (asksTimes) body.append('times', 'true');
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
  if (classifyStatus(status) === 'ok') {
    const said = await untilAborted(response.text(), signal);
    const answer = readTranscription(said);
    if (answer) return untilAborted(answered(answer, item), signal);
    if (isPage(response, said)) throw signedOut(`${call}: ${status}, a page in place of a text`);
    // Not shown: what a strange answer holds may be somebody's words.
    throw new DikteraError('http-answer-wrong', `${call}: ${status}, but no transcription in it`);
  }
  // The status says enough when the rest of the answer never comes.
  const body = await untilAborted(response.text(), signal).catch(() => '');
  const ownError = readServerError(body);
  const reason = ownError ?? response.statusText;
  const message = reason === '' ? `${call}: ${status}` : `${call}: ${status} ${reason}`;
  const share = readShare(body);
  const code = codeOf(status, body, ownError);
  const error: ErrorInfo = { code, message, ...(share !== null && { share }) };
  const retryAfterMs = honoursRetryAfter(status)
    ? parseRetryAfterMs(headers.get('Retry-After'), nowMs)
    : null;
  const kind = kindOf(status, ownError);
  if (kind === 'retryable') return { kind, error, retryAfterMs };
  return kind === 'rejected' ? { kind, error, status } : { kind, error };
}

/** The end of the contract's codes for a page that may not ask, whoever is signed in. */
const WRONG_PAGE = '_not_allowed:';

function signedOut(message: string): DikteraError {
  return new DikteraError('http-signed-out', message);
}

/** A page to sign in, of the server or of the network's portal. */
function isPage({ headers, redirected }: Response, body: string): boolean {
  const isHtml =
    /html/i.test(headers.get('Content-Type') ?? '') || body.trimStart().startsWith('<');
  return isHtml || redirected;
}

/**
 * Reads an error answer: a proxy or a portal in between says nothing of a chunk but its size
 * and type, nor of who may ask.
 */
function kindOf(status: number, ownError: string | null): Exclude<StatusClass, 'ok'> {
  const kind = classifyStatus(status);
  if (kind === 'ok') return 'retryable';
  if (status === 403) return isSignIn(status, ownError) && ownError ? kind : 'retryable';
  const isOfChunk = ownError !== null || status === 413 || status === 415;
  return kind === 'rejected' && !isOfChunk ? 'retryable' : kind;
}

function codeOf(status: number, body: string, ownError: string | null): ErrorCode {
  if (lacksLanguage(body)) return 'language-missing';
  return isSignIn(status, ownError) ? 'http-signed-out' : 'http-status';
}

/** True if it may be another answer once somebody has signed in. */
function isSignIn(status: number, ownError: string | null): boolean {
  return status === 401 || (status === 403 && !ownError?.includes(WRONG_PAGE));
}

function toRequestError(thrown: unknown, call: string): ErrorInfo {
  if (thrown instanceof DikteraError) return toErrorInfo(thrown, 'http-network');
  const cause = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: 'http-network', message: `${call}: ${cause}` };
}
