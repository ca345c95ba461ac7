import type { FastifyInstance } from 'fastify';
import { isApiRoute } from './api-paths.ts';

/** Which requests: those of the API's routes, or files as well. */
export type InFlightKind = 'api' | 'all';

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
