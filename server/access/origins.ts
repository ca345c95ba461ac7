import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../core/api-error.ts';

/** How long a browser may remember that it may ask. */
const PREFLIGHT_MAX_AGE_S = '600';

/** Its token is for this server's own pages. */
const OWN_HEADER = 'x-diktera-models';

/**
 * The headers a page of an allowed origin may send: those it asks for. Each client for programs has
 * some of its own (`x-stainless-*` of OpenAI's), and none of them lets it do more.
 */
function allowedHeaders(asked: string | undefined): string {
  const names = (asked ?? 'authorization, content-type, idempotency-key').toLowerCase().split(',');
  return names
    .map((name) => name.trim())
    .filter((name) => /^[\w-]{1,100}$/.test(name) && name !== OWN_HEADER)
    .slice(0, 50)
    .join(', ');
}

/**
 * Lets the pages of this server and of `allowedOrigins` use the routes of `app`, and no other page.
 * The hook belongs to the routes and not to an address, so no spelling of a path gets past it.
 * Programs that are no browser send no origin and pass; tokens are for those. `answerPreflight` is
 * for the routes' OPTIONS.
 */
export function guardOrigins(app: FastifyInstance, allowedOrigins: readonly string[]): void {
  const allowed = new Set(allowedOrigins);

  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    if (allowed.size > 0) reply.header('vary', 'origin');
    if (origin === undefined || isSameOrigin(request)) return;
    if (!allowed.has(origin)) {
      // Reading is stopped by the browser; a POST must be stopped here.
      if (request.method === 'GET' || request.method === 'HEAD') return;
      throw originNotAllowed();
    }
    reply.headers({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'retry-after, x-request-id',
    });
    if (request.method !== 'OPTIONS') return;
    return reply
      .headers({
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': allowedHeaders(
          request.headers['access-control-request-headers'],
        ),
        vary: 'origin, access-control-request-headers',
        'access-control-max-age': PREFLIGHT_MAX_AGE_S,
      })
      .code(204)
      .send();
  });
}

/**
 * Throws `origin_not_allowed` (403) for a page that is neither this server's nor of
 * `allowedOrigins`: browsers open WebSockets for every page, and let it read.
 */
export function requireOrigin(request: FastifyRequest, allowedOrigins: readonly string[]): void {
  const { origin } = request.headers;
  if (origin === undefined || isSameOrigin(request) || allowedOrigins.includes(origin)) return;
  throw originNotAllowed();
}

function originNotAllowed(): ApiError {
  const message = 'Pages of this origin may not use this server.';
  return new ApiError(403, 'origin_not_allowed', message);
}

/**
 * Whether a request is from a page of this server, or from no page at all. The browser says so
 * itself (`sec-fetch-site`), which counts, as a reverse proxy may have changed the host. Else the
 * host decides to which the request was sent.
 */
export function isSameOrigin(request: FastifyRequest): boolean {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const { origin } = request.headers;
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === request.host;
}
