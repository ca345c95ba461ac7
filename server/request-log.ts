import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { factsOf } from './request-facts.ts';

/**
 * One line for each request: `info` for the API, `debug` for files and health checks. The route, not
 * the address, so that nothing a client put into a query gets into the log.
 */
export function logRequests(app: FastifyInstance): void {
  const log = (request: FastifyRequest, reply: FastifyReply, status: number) => {
    const route = request.routeOptions.url ?? '(none)';
    const line = {
      method: request.method,
      route,
      status,
      durationMs: Math.round(reply.elapsedTime),
      ...factsOf(request),
    };
    const isFrequent = !route.startsWith('/api/') || route === '/api/health';
    if (isFrequent) request.log.debug(line, 'answered');
    else request.log.info(line, 'answered');
  };

  app.addHook('onResponse', async (request, reply) => {
    log(request, reply, reply.statusCode);
  });
  // Nobody is left to answer, so onResponse does not come.
  app.addHook('onRequest', async (request, reply) => {
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) log(request, reply, 499);
    });
  });
}
