import type { FastifyRequest } from 'fastify';
import type { ApiErrorCode } from '../core/api-error.ts';

/** What the log says of a request beside route and status: figures and codes, never content. */
export type RequestFacts = {
  readonly errorCode?: ApiErrorCode;
  /** A name for the client's address. */
  readonly client?: string;
  /** The trace it belongs to, from `traceparent`. */
  readonly trace?: string;
  /** The id of the token it came with, never the token. */
  readonly token?: string;
  readonly engine?: string;
  readonly language?: string;
  readonly uploadBytes?: number;
  readonly audioMs?: number;
  /** The answer was known already: nothing was transcribed. */
  readonly isRepeated?: boolean;
  /** It was for showing only, and counts apart. */
  readonly isPreview?: boolean;
  /** It became a WebSocket, which is over by now. */
  readonly isUpgraded?: boolean;
  /** Whether everything in the file could be read. */
  readonly complete?: boolean;
  /** An empty text for a long audio deserves a look; the text itself is never logged. */
  readonly isEmpty?: boolean;
};

const factsByRequest = new WeakMap<FastifyRequest, RequestFacts>();

/** Adds to what will be logged of a request. */
export function noteFacts(request: FastifyRequest, facts: RequestFacts): void {
  factsByRequest.set(request, { ...factsByRequest.get(request), ...facts });
}

/** What was noted so far. */
export function factsOf(request: FastifyRequest): RequestFacts {
  return factsByRequest.get(request) ?? {};
}
