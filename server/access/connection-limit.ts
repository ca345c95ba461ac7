import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../core/api-error.ts';
import { clientKey } from './client-key.ts';
import { type TrustedProxies, trustOf } from './trusted-proxies.ts';

/** How many connections one address may hold. */
export type ConnectionLimit = {
  /** At once, of one address (an IPv6 /64); 0: no limit. */
  readonly maxConnectionsPerAddress: number;
  /** How long one that is too many has for its request and the answer to it, in ms. */
  readonly lingerMs: number;
};

/** Of one address, that are too many and yet get an answer; more are cut off without a word. */
const MAX_TOLD = 32;

const TRY_AGAIN_S = 5;

/**
 * Holds each address to its share of connections, since each takes one of the process's
 * descriptors. One too many gets `rate_limited` (429) for its first request and is let go.
 * Connections of a trusted proxy do not count: they are everybody's. Where hops are trusted, only
 * proxies connect.
 */
export function limitConnections(
  app: FastifyInstance,
  { maxConnectionsPerAddress: most, lingerMs }: ConnectionLimit,
  trustProxy: TrustedProxies,
): void {
  if (most === 0) return;
  const isProxy = trustOf(trustProxy) || (() => false);
  const counts = new Map<string, number>();
  const tooMany = new WeakSet<Socket>();

  app.server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress;
    // It has gone already.
    if (address === undefined) return;
    if (isProxy(address, 0)) return;
    const key = clientKey(address);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    socket.once('close', () => {
      const left = (counts.get(key) ?? 0) - 1;
      if (left > 0) counts.set(key, left);
      else counts.delete(key);
    });
    if (count <= most) return;
    if (count > most + MAX_TOLD) {
      socket.destroy();
      return;
    }
    tooMany.add(socket);
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    timer.unref();
    socket.once('close', () => clearTimeout(timer));
  });

  app.addHook('onRequest', async (request, reply) => {
    if (!tooMany.has(request.raw.socket)) return;
    reply.header('connection', 'close');
    const message = `One address may have ${most} connections at once; try again shortly.`;
    throw new ApiError(429, 'rate_limited', message, { retryAfterS: TRY_AGAIN_S });
  });
}
