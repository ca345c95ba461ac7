import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clientAddress } from '../access/trusted-proxies.ts';
import type { ApiErrorCode } from '../core/api-error.ts';

/** The log's facts about a request beside route and status: figures and codes, never content. */
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
  /** True if everything in the file could be read. */
  readonly complete?: boolean;
  /** An empty text for a long audio deserves a look; the text itself is never logged. */
  readonly isEmpty?: boolean;
};

const factsByRequest = new WeakMap<FastifyRequest, RequestFacts>();

/** Adds to what will be logged of a request. */
export function noteFacts(request: FastifyRequest, facts: RequestFacts): void {
  factsByRequest.set(request, { ...factsByRequest.get(request), ...facts });
}

/** The facts noted so far. */
export function factsOf(request: FastifyRequest): RequestFacts {
  return factsByRequest.get(request) ?? {};
}

/** Called once for each request, when its answer is sent or its client gone. */
type AnswerListener = (request: FastifyRequest, reply: FastifyReply, status: number) => void;

/** nginx's number for a client that left. */
export const CLIENT_CLOSED_STATUS = 499;

/** A WebSocket, at its end. */
const UPGRADED_STATUS = 101;

/** Tells `listener` how each request of an app ended; call it before the routes are added. */
export function watchAnswers(app: FastifyInstance, listener: AnswerListener): void {
  app.addHook('onResponse', async (request, reply) => {
    listener(request, reply, reply.statusCode);
  });
  // Nobody is left to answer, so onResponse does not come.
  app.addHook('onRequest', async (request, reply) => {
    reply.raw.once('close', () => {
      if (reply.raw.writableFinished) return;
      const hasUpgraded = factsOf(request).isUpgraded === true;
      listener(request, reply, hasUpgraded ? UPGRADED_STATUS : CLIENT_CLOSED_STATUS);
    });
  });
}

/** Which requests: those of the API's routes, or files as well. */
type InFlightKind = 'api' | 'all';

/** Knows whether anybody still waits for an answer. */
export type InFlight = ReturnType<typeof watchInFlight>;

/** Counts the requests of an app; call it before its routes are added. */
export function watchInFlight(app: FastifyInstance) {
  const counts: Record<InFlightKind, number> = { api: 0, all: 0 };
  const waiting: { readonly kind: InFlightKind; readonly resolve: () => void }[] = [];

  function change(kinds: readonly InFlightKind[], by: 1 | -1): void {
    for (const kind of kinds) counts[kind] += by;
    for (const { kind, resolve } of waiting) if (counts[kind] === 0) resolve();
  }

  app.addHook('onRequest', async (request, reply) => {
    const isApi = isApiRoute(request.routeOptions.url);
    const kinds: readonly InFlightKind[] = isApi ? ['api', 'all'] : ['all'];
    change(kinds, 1);
    reply.raw.once('close', () => change(kinds, -1));
  });

  return {
    /** Fulfilled as soon as no request of this kind is being answered. */
    drained: (kind: InFlightKind): Promise<void> =>
      new Promise((resolve) => {
        if (counts[kind] === 0) resolve();
        else waiting.push({ kind, resolve });
      }),
  };
}

/** Asked again and again, and costing nothing. */
const FREQUENT: ReadonlySet<string> = new Set(['/api/health', '/v1/models']);

/**
 * One line for each request: `info` for the API, `debug` for files and health checks. It has the
 * route, not the address: nothing a client put into a query gets into the log. `nameOf` makes the
 * name of a client's address; null leaves it out.
 */
export function logRequests(
  app: FastifyInstance,
  nameOf: (address: string) => string | null,
): void {
  // While the connection is there: a closed one has no address any more.
  app.addHook('onRequest', async (request) => {
    const client = nameOf(clientAddress(request));
    const trace = traceIdOf(request);
    if (client !== null) noteFacts(request, { client });
    if (trace !== null) noteFacts(request, { trace });
  });
  watchAnswers(app, (request, reply, status) => {
    const route = request.routeOptions.url ?? '(none)';
    const line = {
      method: request.method,
      route,
      status,
      durationMs: Math.round(reply.elapsedTime),
      ...factsOf(request),
    };
    const isFrequent = !isApiRoute(route) || FREQUENT.has(route);
    if (isFrequent) request.log.debug(line, 'answered');
    else request.log.info(line, 'answered');
  });
}

/** An id that may stand in the log and in a header as it is. */
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
function traceIdOf(request: FastifyRequest): string | null {
  const given = request.headers.traceparent;
  return (typeof given === 'string' && TRACEPARENT.exec(given)?.[1]) || null;
}

/** Under these everything answers in JSON, errors too: our own calls, and OpenAI's. */
const API_PREFIXES = ['/api/', '/v1/'];

/** True if a route, as it was added, is one of the API's. */
export function isApiRoute(route: string | undefined): route is string {
  return route !== undefined && API_PREFIXES.some((prefix) => route.startsWith(prefix));
}

/** True if an address, as written, is the API's: decides how an error looks, and nothing else. */
export function isApiPath(url: string): boolean {
  return API_PREFIXES.some((prefix) => isUnder(url, prefix));
}

/** True if it is one of those in OpenAI's form, and so are its errors. */
export function isOpenAiPath(url: string): boolean {
  return isUnder(url, '/v1/');
}

function isUnder(url: string, prefix: string): boolean {
  const bare = prefix.slice(0, -1);
  return url.startsWith(prefix) || url === bare || url.startsWith(`${bare}?`);
}
