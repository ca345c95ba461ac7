import type { Clock } from '../../src/core/clock.ts';
import { DikteraError } from '../../src/core/errors.ts';
import { networkError, timeoutError, wrongAnswerError } from './http-errors.ts';

export type FetchLimits = {
  /** The longest silence: before the headers, and between two pieces of the body. */
  readonly timeoutMs: number;
  /** The most the body may hold. */
  readonly maxBytes: number;
};

export type FetchPorts = { readonly fetch: typeof fetch; readonly clock: Clock };

/**
 * One try of a request, body and all: a body that breaks off or goes silent fails like a request that
 * never got an answer, instead of hanging whoever reads it. The time-out counts silence, so that a
 * large file may take its time on a slow network.
 *
 * Throws `http-timeout`, `http-network`, `http-answer-wrong` (the body is too large), or the reason of
 * the request's own signal.
 */
export async function fetchWhole(
  request: Request,
  init: RequestInit,
  ports: FetchPorts,
  limits: FetchLimits,
): Promise<Response> {
  const { signal } = request;
  const abort = new AbortController();
  const forwardAbort = () => abort.abort(signal.reason);
  let isSilent = false;
  const startTimer = () =>
    ports.clock.after(limits.timeoutMs, () => {
      isSilent = true;
      abort.abort();
    });
  let cancelTimer = startTimer();
  const hearSomething = () => {
    cancelTimer();
    cancelTimer = startTimer();
  };

  signal.addEventListener('abort', forwardAbort);
  try {
    signal.throwIfAborted();
    const response = await ports.fetch(request, { ...init, signal: abort.signal });
    hearSomething();
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    let bytes = 0;
    for await (const piece of piecesOf(response)) {
      hearSomething();
      bytes += piece.byteLength;
      if (bytes > limits.maxBytes) {
        throw wrongAnswerError(request, `Answer holds more than ${limits.maxBytes} bytes`);
      }
      pieces.push(piece);
    }
    return wholeResponse(response, pieces);
  } catch (error) {
    abort.abort();
    if (signal.aborted) throw signal.reason;
    if (isSilent) throw timeoutError(request, limits.timeoutMs);
    throw error instanceof DikteraError ? error : networkError(request, error);
  } finally {
    cancelTimer();
    signal.removeEventListener('abort', forwardAbort);
  }
}

/** A body's pieces; by its reader, since Safari's streams cannot be iterated. */
async function* piecesOf(response: Response): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}

function wholeResponse(response: Response, pieces: readonly Uint8Array<ArrayBuffer>[]): Response {
  const { status, statusText, headers } = response;
  const isWithoutBody = status === 204 || status === 205 || status === 304;
  return new Response(isWithoutBody ? null : new Blob([...pieces]), {
    status,
    statusText,
    headers,
  });
}
