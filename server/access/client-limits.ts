import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../src/core/clock.ts';
import { ApiError } from '../core/api-error.ts';
import { clientKey } from './callers.ts';
import { type TrustedProxies, trustOf } from './trusted-proxies.ts';

type Bucket = { tokens: number; readonly filledMs: number };

const MINUTE_MS = 60_000;

/** Clients remembered. Beyond it those with a full share are forgotten, then the oldest. */
const MAX_CLIENTS = 10_000;

/**
 * A token bucket for each client: `perMinute` requests at once, and as many again each minute,
 * evenly. 0 sets no limit.
 */
export function createRateLimit(perMinute: number, clock: Clock) {
  if (perMinute === 0) return { take: () => undefined, giveBack: () => undefined };
  const buckets = new Map<string, Bucket>();
  const msPerToken = MINUTE_MS / perMinute;

  function forgetSome(nowMs: number): void {
    // The first came longest ago: after one whose share is not full yet there is none that is.
    for (const [client, { filledMs }] of buckets) {
      if (nowMs - filledMs < MINUTE_MS) break;
      buckets.delete(client);
    }
    const [oldest] = buckets.keys();
    if (buckets.size >= MAX_CLIENTS && oldest !== undefined) buckets.delete(oldest);
  }

  return {
    /**
     * Counts one request; throws `rate_limited` (429 with Retry-After) when `client` has none left.
     */
    take(client: string) {
      const nowMs = clock.nowMs();
      const before = buckets.get(client) ?? { tokens: perMinute, filledMs: nowMs };
      const gained = Math.max(0, nowMs - before.filledMs) / msPerToken;
      const tokens = Math.min(perMinute, before.tokens + gained);
      if (buckets.size >= MAX_CLIENTS && !buckets.has(client)) forgetSome(nowMs);
      // The latest to come stands last, so the first is the oldest.
      buckets.delete(client);
      buckets.set(client, { tokens: tokens >= 1 ? tokens - 1 : tokens, filledMs: nowMs });
      if (tokens >= 1) return;
      const retryAfterS = Math.ceil(((1 - tokens) * msPerToken) / 1000);
      const message = `This client may send ${perMinute} recordings a minute.`;
      throw new ApiError(429, 'rate_limited', message, { retryAfterS });
    },
    /** Takes back the count of one that was let in. */
    giveBack(client: string) {
      const bucket = buckets.get(client);
      if (bucket !== undefined) bucket.tokens = Math.min(perMinute, bucket.tokens + 1);
    },
  };
}

type ConnectionLimit = {
  /** Connections at once of one address (an IPv6 /64); 0: no limit. */
  readonly maxConnectionsPerAddress: number;
  /** The time that a connection over the limit gets for its request and the answer, in ms. */
  readonly lingerMs: number;
};

/** Connections over the limit that still get an answer, for each address; more are cut off. */
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
