import type { Clock } from '../../src/core/clock.ts';
import { ApiError } from '../core/api-error.ts';

/** Holds each client to its share. */
export type RateLimit = ReturnType<typeof createRateLimit>;

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
