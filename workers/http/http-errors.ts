import { DikteraError } from '../../src/core/errors.ts';
import type { FetchLimits } from './fetch-limits.ts';

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
