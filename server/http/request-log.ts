import type { FastifyInstance } from 'fastify';
import { clientAddress } from '../access/trusted-proxies.ts';
import { isApiRoute } from './api-paths.ts';
import { factsOf, noteFacts } from './request-facts.ts';
import { traceIdOf } from './request-ids.ts';
import { watchAnswers } from './watch-answers.ts';

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
