import type { FastifyInstance } from 'fastify';

/** Knows whether anybody still waits for an answer. */
export type InFlight = {
  /** Fulfilled as soon as no request is being answered. */
  drained(): Promise<void>;
};

/** Counts the requests of an app; call it before its routes are added. */
export function watchInFlight(app: FastifyInstance): InFlight {
  let count = 0;
  let onDrained: (() => void) | null = null;

  app.addHook('onRequest', async (_request, reply) => {
    count++;
    reply.raw.once('close', () => {
      count--;
      if (count === 0) onDrained?.();
    });
  });

  return {
    drained: () =>
      new Promise((resolve) => {
        if (count === 0) resolve();
        else onDrained = resolve;
      }),
  };
}
