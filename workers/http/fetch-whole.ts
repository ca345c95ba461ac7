import type { Clock } from '../../src/core/clock.ts';
import { DikteraError } from '../../src/core/errors.ts';
import { deadline } from '../../src/platform/deadline.ts';
import type { FetchLimits } from './fetch-limits.ts';
import { networkError, timeoutError, wrongAnswerError } from './http-errors.ts';

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
