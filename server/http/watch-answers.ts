import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { factsOf } from './request-facts.ts';

/** Told of each request once, when its answer is out or its client gone. */
export type AnswerListener = (request: FastifyRequest, reply: FastifyReply, status: number) => void;

/** nginx's number for a client that left. */
export const CLIENT_CLOSED_STATUS = 499;

/** A WebSocket, at its end. */
export const UPGRADED_STATUS = 101;

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
