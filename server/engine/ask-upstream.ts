import { sleep, untilAborted } from '../../src/core/async.ts';
import { SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import type { Clock, Random } from '../../src/core/clock.ts';
import { readRetryAfterMs } from '../../src/core/queue/queue-policy.ts';
import type { HeardSegment } from '../../src/core/text/judge-answer.ts';
import type { HeardWord, TimedPart } from '../../src/core/text/time-text.ts';
import { ApiError } from '../core/api-error.ts';
import type { Transcript } from './engine-port.ts';

/** Waiting longer than this is the client's affair, not that of a slot here. */
const DEFAULT_RETRY_AFTER_S = 5;
const MAX_RETRY_AFTER_S = 600;

/** True if the same request may go better a moment later. */
function isWorthRetrying(status: number): boolean {
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
 * The answer of this server when the upstream answered `status`. The upstream's body is left out: it
 * could quote speech or a key. A refused key is the operator's affair: 502 for the client, not 401.
 */
function upstreamError(status: number, retryAfterMs: number | null): ApiError {
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
function upstreamUnpaid(): ApiError {
  const message = 'The speech engine refuses to go on: its account has no credit left.';
  const cause = new Error('the upstream answered 429 insufficient_quota');
  return new ApiError(502, 'engine_refused', message, { cause });
}

/** No connection, or one that broke. */
function upstreamUnreachable(cause: unknown): ApiError {
  return new ApiError(503, 'engine_unreachable', 'The speech engine cannot be reached.', {
    cause,
    retryAfterS: DEFAULT_RETRY_AFTER_S,
  });
}

/** No answer in time. */
function upstreamTimeout(timeoutMs: number): ApiError {
  const message = `The speech engine did not answer within ${Math.round(timeoutMs / 1000)} s.`;
  return new ApiError(504, 'engine_timeout', message, { cause: new Error('time-out') });
}

/** An answer that holds no text. */
function upstreamAnswerWrong(): ApiError {
  const message = 'The speech engine answered something that is no transcription.';
  return new ApiError(502, 'engine_answer_wrong', message, { cause: new Error('no text') });
}

/** The wait that an answer asks for, in ms: `retry-after-ms`, or `Retry-After` in s or as a date. */
export function retryAfterMsOf(headers: Headers, nowMs: number): number | null {
  const exact = Number(headers.get('retry-after-ms') ?? Number.NaN);
  if (exact >= 0) return exact;
  return readRetryAfterMs(headers.get('retry-after'), nowMs);
}

function wholeSeconds(retryAfterMs: number | null): number {
  if (retryAfterMs === null) return DEFAULT_RETRY_AFTER_S;
  return Math.min(MAX_RETRY_AFTER_S, Math.max(1, Math.ceil(retryAfterMs / 1000)));
}

/** True if an answer says that it is JSON: `application/json`, or a kind of it. */
export function isJson(headers: Headers): boolean {
  const type = headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return (
    type === 'application/json' || type === 'text/json' || /^application\/[^/]*\+json$/.test(type)
  );
}

/**
 * The body as text, or null as soon as it holds more than `maxBytes` after unpacking. Rejects when
 * the connection breaks.
 */
async function readAtMost(response: Response, maxBytes: number): Promise<string | null> {
  if (response.body === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return decoded(joined(chunks, bytes), response.headers);
    bytes += value.length;
    if (bytes > maxBytes) {
      reader.releaseLock();
      return null;
    }
    chunks.push(value);
  }
}

/** Bytes as latin-1 has letters beyond ASCII, and as a letter of UTF-8 that was cut never stands. */
const LATIN_LETTER = /[^\x80-\xff][\xc0\xc1\xc4-\xff](?![\x80-\xff])/;
const OTHER_THAN_LATIN = /[\x80-\xbf\xc2\xc3]|[\x80-\xff]{2}/;

/**
 * The text by the answer's own word for its letters, else UTF-8. A byte that is none becomes U+FFFD:
 * an engine may cut a letter in two, and the other words are good. Some servers write latin-1 and do
 * not say so.
 */
function decoded(body: Uint8Array, headers: Headers): string {
  const label = /;\s*charset="?([\w-]+)/i.exec(headers.get('content-type') ?? '')?.[1];
  const asLabelled = decodedAs(label ?? 'utf-8', body) ?? new TextDecoder().decode(body);
  if (!asLabelled.includes('\ufffd')) return asLabelled;
  const bytes = Buffer.from(body).toString('latin1');
  const isLatin = LATIN_LETTER.test(bytes) && !OTHER_THAN_LATIN.test(bytes);
  return isLatin ? bytes : asLabelled;
}

/** Null for an alphabet that is not known. */
function decodedAs(label: string, body: Uint8Array): string | null {
  try {
    return new TextDecoder(label).decode(body);
  } catch {
    return null;
  }
}

function joined(chunks: readonly Uint8Array[], bytes: number): Uint8Array {
  const all = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

const HEADER_BYTES = 44;
const BYTES_PER_SAMPLE = 2;
const FULL_SCALE = 32_767;

/** A wave file (RIFF, 16-bit PCM, 16 kHz mono) of `samples` (-1..1): every engine takes it. */
export function waveBytes(samples: Float32Array): Uint8Array<ArrayBuffer> {
  const dataBytes = samples.length * BYTES_PER_SAMPLE;
  const file = new Uint8Array(HEADER_BYTES + dataBytes);
  const view = new DataView(file.buffer);
  const text = (at: number, letters: string) => {
    for (let index = 0; index < letters.length; index++) {
      view.setUint8(at + index, letters.charCodeAt(index));
    }
  };
  text(0, 'RIFF');
  view.setUint32(4, HEADER_BYTES - 8 + dataBytes, true);
  text(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, SAMPLE_RATE_HZ, true);
  view.setUint32(28, SAMPLE_RATE_HZ * BYTES_PER_SAMPLE, true);
  view.setUint16(32, BYTES_PER_SAMPLE, true);
  view.setUint16(34, 8 * BYTES_PER_SAMPLE, true);
  text(36, 'data');
  view.setUint32(40, dataBytes, true);
  samples.forEach((sample, index) => {
    const value = Math.round(Math.max(-1, Math.min(1, sample)) * FULL_SCALE);
    view.setInt16(HEADER_BYTES + index * BYTES_PER_SAMPLE, value, true);
  });
  return file;
}

/** The edge to another server. */
export type UpstreamPorts = {
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly random: Random;
};

/** One form to post. */
type UpstreamRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly form: FormData;
  /** For all attempts together, in ms. */
  readonly timeoutMs: number;
  /** The longest answer taken, in bytes, unpacked: see `maxAnswerBytesFor`. */
  readonly maxAnswerBytes: number;
};

type EncodedRequest = Omit<UpstreamRequest, 'form'> & { readonly body: Uint8Array<ArrayBuffer> };

/**
 * Nobody says 100 characters a second; the rest is for times and tokens, where they come along, and
 * for an engine that repeats itself: what it repeats is judged, and not thrown away.
 */
const ANSWER_BYTES = 1_024 * 1_024;
const ANSWER_BYTES_A_SECOND = 4_096;

const MAX_RETRIES = 2;
const FIRST_DELAY_MS = 500;

/** Asked to wait longer, the error goes to the client, who keeps the audio and comes back. */
const MAX_WAIT_MS = 3_000;

type Attempt =
  | { readonly kind: 'heard'; readonly transcript: Transcript }
  | { readonly kind: 'failed'; readonly error: ApiError; readonly waitMs: number | null };

/** The bytes that an answer about audio of this length may have: people say only so much in a second. */
export function maxAnswerBytesFor(audioMs: number): number {
  return ANSWER_BYTES + Math.ceil((audioMs / 1_000) * ANSWER_BYTES_A_SECOND);
}

/**
 * Posts the form and gives the `text` of the JSON answer in one line, and its `language` and `segments` if it
 * has some. Tries again at most twice, on 408, 409, 429, 5xx and network failure, after as long as the answer asks,
 * or 0.5 s and 1 s with jitter. An answer that is too long or no JSON is not read on. Rejects with
 * an ApiError, or with `signal`'s reason.
 */
export async function askUpstream(
  ports: UpstreamPorts,
  request: UpstreamRequest,
  signal: AbortSignal,
): Promise<Transcript> {
  const deadline = new AbortController();
  const cancelDeadline = ports.clock.after(request.timeoutMs, () => deadline.abort());
  const both = AbortSignal.any([signal, deadline.signal]);
  try {
    const posted = await encodeForm(request);
    for (let attempt = 0; ; attempt++) {
      // Fetch has been seen to leave a body that cannot be unpacked hanging beyond its signal.
      const outcome = await untilAborted(tryOnce(ports, posted, both), both);
      if (outcome.kind === 'heard') return outcome.transcript;
      const waitMs = outcome.waitMs;
      if (waitMs === null || waitMs > MAX_WAIT_MS || attempt === MAX_RETRIES) throw outcome.error;
      const backoffMs = FIRST_DELAY_MS * 2 ** attempt * (0.75 + ports.random() / 2);
      await sleep(ports.clock, waitMs === 0 ? backoffMs : waitMs, both);
      both.throwIfAborted();
    }
  } catch (error) {
    signal.throwIfAborted();
    throw deadline.signal.aborted ? upstreamTimeout(request.timeoutMs) : error;
  } finally {
    cancelDeadline();
  }
}

/**
 * The form in memory, for every attempt. Left to fetch it is a stream, and Node 24 goes on filling
 * that after an abort has closed it: a rejection that nobody can catch, which ends the process.
 */
async function encodeForm({ form, ...request }: UpstreamRequest): Promise<EncodedRequest> {
  const encoded = new Response(form);
  const type = encoded.headers.get('content-type');
  const headers = type === null ? request.headers : { ...request.headers, 'content-type': type };
  return { ...request, headers, body: new Uint8Array(await encoded.arrayBuffer()) };
}

/** `waitMs` null: not worth another attempt; 0: after the usual delay. */
async function tryOnce(
  { fetch, clock }: UpstreamPorts,
  { url, headers, body, maxAnswerBytes }: EncodedRequest,
  signal: AbortSignal,
): Promise<Attempt> {
  try {
    // A redirect would turn the POST into a GET, or take the key elsewhere.
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      signal,
      redirect: 'manual',
    });
    if (!response.ok) {
      // Of all refusals only this status has two meanings, told apart by the body.
      const isUnpaid = response.status === 429 && (await saysUnpaid(response));
      giveUp(response);
      if (isUnpaid) return { kind: 'failed', error: upstreamUnpaid(), waitMs: null };
      const askedMs = retryAfterMsOf(response.headers, clock.nowMs());
      const waitMs = isWorthRetrying(response.status) ? (askedMs ?? 0) : null;
      return { kind: 'failed', error: upstreamError(response.status, askedMs), waitMs };
    }
    const answer = isJson(response.headers) ? await readAtMost(response, maxAnswerBytes) : null;
    if (answer === null) giveUp(response);
    const transcript = answer === null ? null : transcriptOf(answer);
    if (transcript === null) return { kind: 'failed', error: upstreamAnswerWrong(), waitMs: null };
    return { kind: 'heard', transcript };
  } catch (cause) {
    signal.throwIfAborted();
    return { kind: 'failed', error: upstreamUnreachable(cause), waitMs: 0 };
  }
}

const MAX_REFUSAL_BYTES = 16 * 1024;

/** True if a 429 is about an account without credit: no waiting helps then. */
async function saysUnpaid(response: Response): Promise<boolean> {
  if (!isJson(response.headers)) return false;
  const body = await readAtMost(response, MAX_REFUSAL_BYTES);
  return body !== null && /"(insufficient_quota|billing_[a-z_]+)"/.test(body);
}

/** Ends a connection whose answer is of no use; that takes as long as it takes. */
function giveUp({ body }: Response): void {
  body?.cancel().catch(() => undefined);
}

function transcriptOf(body: string): Transcript | null {
  try {
    const answer: unknown = JSON.parse(body);
    if (typeof answer !== 'object' || answer === null || !('text' in answer)) return null;
    if (typeof answer.text !== 'string') return null;
    const language = 'language' in answer ? languageCodeOf(answer.language) : '';
    const segments = 'segments' in answer ? segmentsOf(answer.segments) : [];
    const parts = 'segments' in answer ? partsOf(answer.segments, answer) : [];
    return {
      // whisper.cpp ends each segment with a line break, and a number that goes on behind one would
      // be no number to the text rules.
      text: answer.text.replaceAll(/\s+/g, ' ').trim(),
      language,
      ...(segments.length > 0 && { segments }),
      ...(parts.length > 0 && { parts }),
    };
  } catch {
    return null;
  }
}

/** With the figures of Whisper's servers; none where one of them is of another form. */
function segmentsOf(segments: unknown): readonly HeardSegment[] {
  if (!Array.isArray(segments)) return [];
  const heard = segments.flatMap((segment: unknown) => {
    if (typeof segment !== 'object' || segment === null) return [];
    const fields: Readonly<Record<string, unknown>> = { ...segment };
    const { text, no_speech_prob: noSpeechProb, avg_logprob: avgLogprob } = fields;
    if (typeof text !== 'string') return [];
    return {
      text,
      ...(typeof noSpeechProb === 'number' && { noSpeechProb }),
      ...(typeof avgLogprob === 'number' && { avgLogprob }),
    };
  });
  return heard.length === segments.length ? heard : [];
}

/** The times of Whisper's servers, in seconds; none where one of them is missing or goes back. */
function partsOf(segments: unknown, answer: object): readonly TimedPart[] {
  if (!Array.isArray(segments)) return [];
  const all = 'words' in answer && Array.isArray(answer.words) ? answer.words : [];
  const parts = segments.flatMap((segment: unknown): TimedPart[] => {
    const part = timedOf(segment, 'text');
    if (part === null) return [];
    const own = wordsIn(segment) ?? wordsWithin(all, part);
    const words = own.flatMap((word: unknown) => timedOf(word, 'word') ?? []);
    return [{ ...part, ...(words.length > 0 && words.length === own.length && { words }) }];
  });
  return parts.length === segments.length ? parts : [];
}

function wordsIn(segment: unknown): readonly unknown[] | null {
  const fields: Readonly<Record<string, unknown>> = { ...(segment as object) };
  return Array.isArray(fields.words) ? fields.words : null;
}

/** OpenAI lists the words of all segments together. */
function wordsWithin(all: readonly unknown[], { startMs, endMs }: TimedPart): readonly unknown[] {
  return all.filter((word) => {
    const at = timedOf(word, 'word')?.startMs ?? -1;
    return at >= startMs && at < endMs;
  });
}

/** A part or a word with a time that can be; null for anything else. */
function timedOf(given: unknown, name: 'text' | 'word'): HeardWord | null {
  if (typeof given !== 'object' || given === null) return null;
  const fields: Readonly<Record<string, unknown>> = { ...given };
  const { start, end, probability } = fields;
  const text = fields[name];
  if (typeof text !== 'string' || typeof start !== 'number' || typeof end !== 'number') return null;
  if (!(start >= 0 && end >= start && end < 1e6)) return null;
  const isShare = typeof probability === 'number' && probability >= 0 && probability <= 1;
  return {
    text: text.trim(),
    startMs: Math.round(1_000 * start),
    endMs: Math.round(1_000 * end),
    ...(isShare && { certainty: probability }),
  };
}

/** The languages Whisper's multilingual models were trained on, as ISO 639-1 where there is one. */
export const WHISPER_LANGUAGES: readonly string[] = (
  'af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl gu ha haw he hi ' +
  'hr ht hu hy id is it ja jv ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my ne nl nn no ' +
  'oc pa pl ps pt ro ru sa sd si sk sl sn so sq sr su sv sw ta te tg th tk tl tr tt uk ur uz vi yi yo zh'
).split(' ');

/** English names as Whisper writes them, where today's name is another. */
const OLDER_NAMES: Readonly<Record<string, string>> = {
  bengali: 'bn',
  maori: 'mi',
  myanmar: 'my',
  nynorsk: 'nn',
  tagalog: 'tl',
};

const englishNames = new Intl.DisplayNames('en', { type: 'language' });

const CODES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(OLDER_NAMES),
  ...WHISPER_LANGUAGES.map((code): [string, string] => [
    englishNames.of(code)?.toLowerCase() ?? code,
    code,
  ]),
  ['jw', 'jv'],
  ...WHISPER_LANGUAGES.map((code): [string, string] => [code, code]),
]);

/** The code of a language as another server names it (`Swedish`, `swedish`, `sv`), else ''. */
export function languageCodeOf(reported: unknown): string {
  return typeof reported === 'string' ? (CODES.get(reported.toLowerCase()) ?? '') : '';
}
