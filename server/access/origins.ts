import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../api-error.ts';
import { API_PREFIX } from '../error-answers.ts';

/** How long a browser may remember that it may ask. */
const PREFLIGHT_MAX_AGE_S = '600';

/**
 * Lets the pages of this server and of `allowedOrigins` ask, and no other page. What is no browser sends
 * no origin and passes; tokens are for those. Preflight requests are answered here.
 */
export function guardOrigins(app: FastifyInstance, allowedOrigins: readonly string[]): void {
  const allowed = new Set(allowedOrigins);

  app.addHook('onRequest', async (request, reply) => {
    if (!request.url.startsWith(API_PREFIX)) return;
    const { origin } = request.headers;
    if (allowed.size > 0) reply.header('vary', 'origin');
    if (origin === undefined || isSameOrigin(request, origin)) return;
    if (!allowed.has(origin)) {
      // Reading is stopped by the browser; a POST must be stopped here.
      if (request.method === 'GET' || request.method === 'HEAD') return;
      const message = 'Pages of this origin may not use this server.';
      throw new ApiError(403, 'origin_not_allowed', message);
    }
    reply.headers({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'retry-after, x-request-id',
    });
    if (request.method !== 'OPTIONS') return;
    return reply
      .headers({
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': 'authorization, content-type, idempotency-key',
        'access-control-max-age': PREFLIGHT_MAX_AGE_S,
      })
      .code(204)
      .send();
  });
}

/**
 * The browser's own word where it gives it (a reverse proxy may have changed the host), else the host
 * the request was sent to.
 */
function isSameOrigin(request: FastifyRequest, origin: string): boolean {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  return URL.canParse(origin) && new URL(origin).host === request.host;
}
