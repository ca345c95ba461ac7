import { Redis } from 'ioredis';
import type { AnswerStore } from './answer-store.ts';
import { GuardedConnector } from './redis-connector.ts';

/** A request does not wait longer than this for the store: so many looks, one after the other. */
const LOOKS = 5;
const LOOK_EVERY_MS = 200;
const CONNECT_TIMEOUT_MS = 1_000;
const MAX_RECONNECT_DELAY_MS = 5_000;

/** A claim may have run out and be another server's by now: each acts on its own only. */
const onlyIfSame = (act: string) =>
  `if redis.call('get', KEYS[1]) == ARGV[1] then ${act} return 1 else return 0 end`;
const RENEW = onlyIfSame("redis.call('pexpire', KEYS[1], ARGV[2])");
const REPLACE = onlyIfSame("redis.call('set', KEYS[1], ARGV[2], 'PX', ARGV[3])");
const FORGET = onlyIfSame("redis.call('del', KEYS[1])");

/**
 * Keeps answers in Redis or Valkey at `url`. Commands fail at once while it cannot be reached, and
 * it is looked for again until it can. `onFailure` is told of connection errors.
 */
export function createRedisStore(url: string, onFailure: (error: unknown) => void): AnswerStore {
  const redis = new Redis(url, {
    Connector: GuardedConnector,
    // With RESP3 a store may speak without being asked.
    protocol: 2,
    connectTimeout: CONNECT_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(MAX_RECONNECT_DELAY_MS, attempt * 100),
  });
  redis.on('error', onFailure);
  /** Runs a script on one key, in one step of the store's; says whether it did what it is for. */
  const did = async (script: string, key: string, ...values: readonly (string | number)[]) =>
    (await inTime(redis.eval(script, 1, key, ...values))) === 1;
  return {
    claim: async (key, value, ttlMs) =>
      (await inTime(redis.set(key, value, 'PX', ttlMs, 'NX'))) === 'OK',
    read: (key) => inTime(redis.get(key)),
    renew: (key, expected, ttlMs) => did(RENEW, key, expected, ttlMs),
    replace: (key, expected, value, ttlMs) => did(REPLACE, key, expected, value, ttlMs),
    forget: async (key, expected) => void (await did(FORGET, key, expected)),
    close: async () => redis.disconnect(),
  };
}

/**
 * What the store says; rejects after a second of its silence. A server that was itself too busy to
 * read for that second looks once more: else it would take the store for gone and work without a
 * claim.
 */
function inTime<T>(saying: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout;
    const look = (left: number) => {
      timer = setTimeout(() => {
        if (left > 1) look(left - 1);
        else reject(new Error('the answer store does not answer'));
      }, LOOK_EVERY_MS);
    };
    look(LOOKS);
    saying.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
