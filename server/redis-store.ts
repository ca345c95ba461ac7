import { Redis } from 'ioredis';
import type { AnswerStore } from './answer-store.ts';

/** A request does not wait longer than this for the store. */
const COMMAND_TIMEOUT_MS = 1_000;
const MAX_RECONNECT_DELAY_MS = 5_000;

/**
 * Keeps answers in Redis or Valkey at `url`. Commands fail at once while it cannot be reached, and it is
 * looked for again until it can. `onFailure` is told of connection errors.
 */
export function createRedisStore(url: string, onFailure: (error: unknown) => void): AnswerStore {
  const redis = new Redis(url, {
    commandTimeout: COMMAND_TIMEOUT_MS,
    connectTimeout: COMMAND_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(MAX_RECONNECT_DELAY_MS, attempt * 100),
  });
  redis.on('error', onFailure);
  return {
    claim: async (key, value, ttlMs) => (await redis.set(key, value, 'PX', ttlMs, 'NX')) === 'OK',
    read: (key) => redis.get(key),
    write: async (key, value, ttlMs) => void (await redis.set(key, value, 'PX', ttlMs)),
    forget: async (key) => void (await redis.del(key)),
    close: async () => redis.disconnect(),
  };
}
