import type { FastifyRequest } from 'fastify';

/** What the log says of a request besides its route and status: figures and codes, never content. */
export type RequestFacts = {
  readonly errorCode?: string;
  readonly engine?: string;
  readonly language?: string;
  readonly uploadBytes?: number;
  readonly audioMs?: number;
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
