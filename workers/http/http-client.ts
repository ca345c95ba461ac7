import ky, { HTTPError } from 'ky';
import type { Clock } from '../../src/core/clock.ts';
import { DikteraError } from '../../src/core/errors.ts';
import type { TimeoutCounts } from './fetch-limits.ts';
import { fetchWhole } from './fetch-whole.ts';
import { networkError, statusError } from './http-errors.ts';

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
