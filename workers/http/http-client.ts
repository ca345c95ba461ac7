import { sleep } from '../../src/core/async.ts';
import type { Clock } from '../../src/core/clock.ts';
import { DikteraError } from '../../src/core/errors.ts';
import { honoursRetryAfter, parseRetryAfterMs } from '../../src/core/queue/queue-policy.ts';
import { deadline } from '../../src/platform/deadline.ts';

/** The longest silence of a server, in ms: before its headers, and between two pieces of a body. */
const SILENCE_MS = 10_000;

const MAX_RETRIES = 2;

const RETRIED_STATUSES: readonly number[] = [408, 413, 429, 500, 502, 503, 504];

type HttpRequest = {
  /** Absolute address. */
  readonly address: string;
  /** The most bytes the answer may hold. */
  readonly maxBytes: number;
  /** The use of the browser's cache. @default 'default' */
  readonly cache?: RequestCache;
};

/** A success (2xx), read to its end. */
export type HttpAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: ArrayBuffer;
};

type HttpPorts = {
  readonly clock: Clock;
  /** @default the realm's fetch */
  readonly fetch?: typeof fetch;
  /**
   * The pause in ms before a retry, counted from 1, where the server names none.
   * @default 300 * 2^(attempt-1)
   */
  readonly retryDelayMs?: (attempt: number) => number;
};

/** Gets files. Recordings are sent by `workers/upload`, which has rules of its own. */
export type HttpClient = ReturnType<typeof createHttpClient>;

export function createHttpClient({
  clock,
  fetch = globalThis.fetch.bind(globalThis),
  retryDelayMs = (attempt) => 300 * 2 ** (attempt - 1),
}: HttpPorts) {
  /** Reads the body, too: one that breaks off or goes silent fails as no answer does. */
  async function getOnce({ address, maxBytes, cache = 'default' }: HttpRequest) {
    const call = { method: 'GET', url: address };
    const { signal, end, restart } = deadline(clock, SILENCE_MS);
    try {
      const response = await fetch(address, { cache, signal });
      restart();
      const { status, headers } = response;
      if (!response.ok) throw new HttpStatusError(call, response, clock.nowMs());
      const pieces: Uint8Array[] = [];
      let length = 0;
      for await (const piece of piecesOf(response)) {
        restart();
        length += piece.byteLength;
        if (length > maxBytes) {
          const message = `Answer holds more than ${maxBytes} bytes: ${nameOf(call)}`;
          throw new DikteraError('http-answer-wrong', message);
        }
        pieces.push(piece);
      }
      return { status, headers, bytes: join(pieces, length) };
    } catch (error) {
      if (error instanceof DikteraError) throw error;
      throw signal.aborted
        ? timeoutError(call, `${SILENCE_MS} ms of silence`)
        : networkError(call, error);
    } finally {
      end();
    }
  }

  return {
    /**
     * Gets a file, with up to 2 retries on network failure and passing statuses, 300 ms and 600 ms
     * later or as `Retry-After` says, 60 s at most. A time-out is not retried. It counts silence, not
     * the whole: megabytes may take their time on a slow network, as long as something comes.
     *
     * Throws a DikteraError: `http-status` (as `HttpStatusError`), `http-timeout`, `http-network` or
     * `http-answer-wrong` (too large).
     */
    async get(request: HttpRequest): Promise<HttpAnswer> {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await getOnce(request);
        } catch (error) {
          if (attempt > MAX_RETRIES || !mayPass(error)) throw error;
          const askedMs = error instanceof HttpStatusError ? error.retryAfterMs : null;
          await sleep(clock, askedMs ?? retryDelayMs(attempt));
        }
      }
    },
  };
}

function mayPass(error: unknown): boolean {
  if (error instanceof HttpStatusError) return RETRIED_STATUSES.includes(error.status);
  return error instanceof DikteraError && error.code === 'http-network';
}

/** A call as messages name it: an upper-case method and an address. */
type HttpCall = { readonly method: string; readonly url: string };

/** The server answered, but with no success: code `http-status`. */
export class HttpStatusError extends DikteraError {
  /** The answer's status, such as 404. */
  readonly status: number;
  /** The pause that the server asks for, in ms; null if it does not say. */
  readonly retryAfterMs: number | null;

  constructor(call: HttpCall, { status, statusText, headers }: Response, nowMs: number) {
    const named = `${status} ${statusText}`.trim();
    super('http-status', `Request failed with status ${named}: ${nameOf(call)}`);
    this.status = status;
    const header = honoursRetryAfter(status) ? headers.get('retry-after') : null;
    this.retryAfterMs = parseRetryAfterMs(header, nowMs);
  }
}

/** No answer within a time, such as `10000 ms`. */
export function timeoutError(call: HttpCall, time: string): DikteraError {
  return new DikteraError('http-timeout', `Request timed out after ${time}: ${nameOf(call)}`);
}

/** No answer at all, or one that broke off: no network, no such host, refused by the browser. */
export function networkError(call: HttpCall, cause: unknown): DikteraError {
  return new DikteraError('http-network', `Request failed: ${nameOf(call)}`, { cause });
}

function nameOf({ method, url }: HttpCall): string {
  return `${method} ${url}`;
}

/** A body's pieces; by its reader, since Safari's streams cannot be iterated. */
async function* piecesOf(response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}

function join(pieces: readonly Uint8Array[], length: number): ArrayBuffer {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole.buffer;
}
