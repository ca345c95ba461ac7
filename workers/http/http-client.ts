import ky, { HTTPError } from 'ky';
import type { Clock } from '../../src/core/clock.ts';
import { DikteraError } from '../../src/core/errors.ts';
import { deadline } from '../../src/platform/deadline.ts';

/**
 * What a time-out counts. The request: from its start to the last piece of its body, as the spec's.
 * Silence: before the headers, and between two pieces of the body, so that a large file may take
 * its time on a slow network.
 */
export type TimeoutCounts = 'request' | 'silence';

export type FetchLimits = {
  readonly timeoutMs: number;
  readonly timeoutCounts: TimeoutCounts;
  /** The most the body may hold. */
  readonly maxBytes: number;
};

type Timeout = Pick<FetchLimits, 'timeoutMs' | 'timeoutCounts'>;

/** The server answered, but with no success: code `http-status` (spec, section 8). */
export class HttpStatusError extends DikteraError {
  /** The answer's status, such as 404. */
  readonly status: number;

  constructor(status: number, message: string, options: { cause?: unknown } = {}) {
    super('http-status', message, options);
    this.status = status;
  }
}

/** Names status, method and address (spec, section 8). */
export function statusError(response: Response, call: HttpCall, cause: unknown): HttpStatusError {
  const status = `${response.status} ${response.statusText}`.trim();
  const message = `Request failed with status ${status}: ${nameCall(call)}`;
  return new HttpStatusError(response.status, message, { cause });
}

/** Names method and address (spec, section 8). */
export function timeoutError(call: HttpCall, { timeoutMs, timeoutCounts }: Timeout): DikteraError {
  const time = timeoutCounts === 'silence' ? `${timeoutMs} ms of silence` : `${timeoutMs} ms`;
  const message = `Request timed out after ${time}: ${nameCall(call)}`;
  return new DikteraError('http-timeout', message);
}

/** No answer at all, or one that broke off: no network, no such host, refused by the browser. */
export function networkError(call: HttpCall, cause: unknown): DikteraError {
  return new DikteraError('http-network', `Request failed: ${nameCall(call)}`, { cause });
}

/** A success whose content is of no use. */
export function wrongAnswerError(call: HttpCall, why: string, cause?: unknown): DikteraError {
  return new DikteraError('http-answer-wrong', `${why}: ${nameCall(call)}`, { cause });
}

/** What was called, for messages: an upper-case method and an address. */
export type HttpCall = { readonly method: string; readonly url: string };

function nameCall({ method, url }: HttpCall): string {
  return `${method} ${url}`;
}

export type FetchPorts = { readonly fetch: typeof fetch; readonly clock: Clock };

/** An answer whose body has been read: `response` keeps status and headers only. */
export type WholeAnswer = { readonly response: Response; readonly bytes: ArrayBuffer };

/**
 * One try of a request, body and all: a body that breaks off or goes silent fails like a request
 * that never got an answer, instead of hanging whoever reads it.
 *
 * Throws `http-timeout`, `http-network`, `http-answer-wrong` (the body is too large), or the reason
 * of the request's own signal.
 */
export async function fetchWhole(
  request: Request,
  init: RequestInit,
  ports: FetchPorts,
  limits: FetchLimits,
): Promise<WholeAnswer> {
  const { signal, end, restart } = deadline(ports.clock, limits.timeoutMs, request.signal);
  const hearSomething = () => {
    if (limits.timeoutCounts !== 'request') restart();
  };

  try {
    signal.throwIfAborted();
    const response = await ports.fetch(request, { ...init, signal });
    hearSomething();
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for await (const piece of piecesOf(response)) {
      hearSomething();
      bytes += piece.byteLength;
      if (bytes > limits.maxBytes) {
        throw wrongAnswerError(request, `Answer holds more than ${limits.maxBytes} bytes`);
      }
      pieces.push(piece);
    }
    const { status, statusText, headers } = response;
    const head = new Response(null, { status, statusText, headers });
    return { response: head, bytes: join(pieces, bytes) };
  } catch (error) {
    if (request.signal.aborted) throw request.signal.reason;
    if (signal.aborted) throw timeoutError(request, limits);
    throw error instanceof DikteraError ? error : networkError(request, error);
  } finally {
    end();
  }
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

/** The spec's general HTTP defaults (section 7). */
export const HTTP_DEFAULTS = {
  timeoutMs: 10_000,
  retries: 2,
  methods: ['get', 'put', 'head', 'delete', 'options', 'trace'],
  statuses: [408, 413, 429, 500, 502, 503, 504],
  retryAfterStatuses: [413, 429, 503],
  /** A server that asks for more patience than this is asked again all the same. */
  maxRetryAfterMs: 60_000,
} as const;

/** The most an answer may hold unless the request says otherwise: 16 MiB. */
const DEFAULT_MAX_BYTES = 16 * 2 ** 20;

export type HttpRequest = {
  /** Absolute address. */
  readonly address: string;
  /** @default 'GET' */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: BodyInit;
  /** The longest that one try may take, or be silent, in ms. @default 10000 */
  readonly timeoutMs?: number;
  /** @default 'request' */
  readonly timeoutCounts?: TimeoutCounts;
  /** The most bytes the answer may hold. @default 16777216 */
  readonly maxBytes?: number;
  /**
   * Statuses besides 2xx that are an answer here and no failure, and so not retried. @default none
   */
  readonly acceptStatuses?: readonly number[];
  /** How the browser's cache is used. @default 'default' */
  readonly cache?: RequestCache;
  /** Ends the request and its retries; its reason is what `send` then throws. */
  readonly signal?: AbortSignal;
};

/** A success, or a status that was accepted; read to its end. */
export type HttpAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: ArrayBuffer;
};

export type HttpClient = ReturnType<typeof createHttpClient>;

export type HttpPorts = {
  readonly clock: Clock;
  /** @default the realm's fetch */
  readonly fetch?: typeof fetch;
  /** The pause before a retry, counted from 1, where the server names none. @default the spec's */
  readonly retryDelayMs?: (attempt: number) => number;
};

/** The spec's delay before a retry: 0.3 * 2^(attempt-1) seconds. */
export function defaultRetryDelayMs(attempt: number): number {
  return 300 * 2 ** (attempt - 1);
}

/** The client for everything but transcription, which has rules of its own. */
export function createHttpClient(ports: HttpPorts) {
  const { clock, fetch = globalThis.fetch.bind(globalThis), retryDelayMs } = ports;
  const retry = {
    limit: HTTP_DEFAULTS.retries,
    methods: [...HTTP_DEFAULTS.methods],
    statusCodes: [...HTTP_DEFAULTS.statuses],
    afterStatusCodes: [...HTTP_DEFAULTS.retryAfterStatuses],
    maxRetryAfter: HTTP_DEFAULTS.maxRetryAfterMs,
    delay: retryDelayMs ?? defaultRetryDelayMs,
    shouldRetry: ({ error }: { error: Error }) => shouldRetry(error),
  };

  return {
    /**
     * Sends a request, and again as the spec says: up to 2 retries of a method that may be repeated,
     * on network failure or one of its statuses, 0.3 * 2^(attempt-1) s apart or as Retry-After says,
     * 60 s at most. A time-out is not retried.
     *
     * Throws a DikteraError: `http-status` (as `HttpStatusError`), `http-timeout`, `http-network` or
     * `http-answer-wrong` (too large).
     */
    async send(request: HttpRequest): Promise<HttpAnswer> {
      const { address, body, cache, headers, method = 'GET', signal } = request;
      const call = { method: method.toUpperCase(), url: address };
      const limits = {
        timeoutMs: request.timeoutMs ?? HTTP_DEFAULTS.timeoutMs,
        timeoutCounts: request.timeoutCounts ?? 'request',
        maxBytes: request.maxBytes ?? DEFAULT_MAX_BYTES,
      };
      // The body goes past ky, which would copy it.
      let bytes = new ArrayBuffer(0);
      try {
        const response = await ky(address, {
          method,
          ...(headers && { headers }),
          ...(body && { body }),
          ...(cache && { cache }),
          ...(signal && { signal }),
          retry,
          throwHttpErrors: (status) => !request.acceptStatuses?.includes(status),
          // Ky's time-out ends with the headers; ours guards the body, too.
          timeout: false,
          async fetch(input, init) {
            const whole = await fetchWhole(asRequest(input), init ?? {}, { fetch, clock }, limits);
            bytes = whole.bytes;
            return whole.response;
          },
        });
        return { status: response.status, headers: response.headers, bytes };
      } catch (error) {
        if (error instanceof DikteraError || signal?.aborted) throw error;
        if (error instanceof HTTPError) throw statusError(error.response, call, error);
        throw networkError(call, error);
      }
    },
  };
}

function asRequest(input: string | URL | Request): Request {
  return input instanceof Request ? input : new Request(input);
}

/** Where the spec and ky part ways; undefined leaves it to ky. */
function shouldRetry(error: Error): boolean | undefined {
  if (error instanceof DikteraError) return error.code === 'http-network';
  // Ky retries 413 only when the server says when.
  if (error instanceof HTTPError && error.response.status === 413) {
    return error.response.headers.has('retry-after') ? undefined : true;
  }
  return undefined;
}
