import type { FastifyInstance } from 'fastify';
import { SERVER_VERSION } from '../core/version.ts';
import type { Readiness } from '../operations/readiness.ts';
import { PROBE_SCHEMA, VERSION_SCHEMA } from './schemas.ts';

/** Where an orchestrator asks whether the process runs at all. */
export const LIVE_PATH = '/livez';

/** Where a balancer asks whether to send requests here. */
export const READY_PATH = '/readyz';

/** Where one asks what runs here. */
export const VERSION_PATH = '/version';

/**
 * `GET /livez`: 200 while the process answers, its engine or no engine. `GET /readyz`: 200, or 503
 * with the reason while the engine loads or is away, while most transcriptions fail, and from the
 * first moment of a stop. `GET /version`. `OPTIONS /` is what balancers ask who were told nothing
 * else: it says that the process answers.
 */
export function addProbes(app: FastifyInstance, readiness: Readiness): void {
  app.options('/', async (_request, reply) => reply.code(204).header('allow', 'GET, HEAD').send());
  app.get(LIVE_PATH, { schema: { response: { 200: PROBE_SCHEMA } } }, async () => {
    return { status: 'live', reason: null };
  });
  app.get(
    READY_PATH,
    { schema: { response: { 200: PROBE_SCHEMA, 503: PROBE_SCHEMA } } },
    async (_request, reply) => {
      const state = readiness.state();
      if (state.kind === 'ready') return { status: state.kind, reason: null };
      reply.code(503).header('retry-after', state.kind === 'loading' ? '1' : '5');
      return { status: state.kind, reason: state.reason };
    },
  );
  app.get(VERSION_PATH, { schema: { response: { 200: VERSION_SCHEMA } } }, async () => {
    return { name: 'diktera', version: SERVER_VERSION, node: process.version };
  });
}
