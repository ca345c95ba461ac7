import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';

/** What may stand in the log and in a header as it is. */
const USABLE_ID = /^[\w.:-]{8,128}$/;

/** W3C Trace Context: version, trace, parent, flags. */
const TRACEPARENT =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/** The id of a request: its `x-request-id` where that is usable, else a new one. */
export function requestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && USABLE_ID.test(given) ? given : randomUUID();
}

/** The trace a request belongs to, from `traceparent`; null without a valid one. */
export function traceIdOf(request: FastifyRequest): string | null {
  const given = request.headers.traceparent;
  return (typeof given === 'string' && TRACEPARENT.exec(given)?.[1]) || null;
}
