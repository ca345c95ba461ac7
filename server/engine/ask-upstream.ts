import { sleep, untilAborted } from '../../src/core/async.ts';
import type { Clock, Random } from '../../src/core/clock.ts';
import type { HeardSegment } from '../../src/core/text/judge-answer.ts';
import type { ApiError } from '../core/api-error.ts';
import type { Transcript } from './engine-port.ts';
import { isJson, readAtMost } from './read-answer.ts';
import {
  isWorthRetrying,
  retryAfterMsOf,
  upstreamAnswerWrong,
  upstreamError,
  upstreamTimeout,
  upstreamUnpaid,
  upstreamUnreachable,
} from './upstream-errors.ts';
import { languageCodeOf } from './whisper-languages.ts';

/** The edge to another server. */
export type UpstreamPorts = {
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly random: Random;
};

/** One form to post. */
export type UpstreamRequest = {
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

/** What an answer about audio of this length may hold: people say only so much in a second. */
export function maxAnswerBytesFor(audioMs: number): number {
  return ANSWER_BYTES + Math.ceil((audioMs / 1_000) * ANSWER_BYTES_A_SECOND);
}

/**
 * Posts the form and gives the `text` of the JSON answer, and its `language` and `segments` if it
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
      // Of all refusals only this one means something else by its words.
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

/** Whether a 429 is about an account without credit: no waiting helps then. */
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
    return { text: answer.text, language, ...(segments.length > 0 && { segments }) };
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
