import type { Clock } from '../src/core/clock.ts';
import { networkError, timeoutError } from './http/http-errors.ts';

/** What stands at the address of the server's health: anything that speaks HTTP. */
export type HealthAnswer = {
  readonly status: number;
  /** The answer's JSON; undefined if it is none. */
  readonly body: unknown;
};

/** Looks once, for `timeoutMs` at most. Rejects with `http-network` or `http-timeout`. */
export type HealthCheck = (timeoutMs: number) => Promise<HealthAnswer>;

/** Makes a look. Without retries: whoever looks often does not hammer. */
export function createHealthCheck(ports: {
  readonly address: string;
  readonly clock: Clock;
  /** @default the realm's own */
  readonly fetch?: typeof globalThis.fetch;
}): HealthCheck {
  const { address, clock, fetch = globalThis.fetch.bind(globalThis) } = ports;
  const call = { method: 'GET', url: address };

  return async (timeoutMs) => {
    const controller = new AbortController();
    const cancelTimer = clock.after(timeoutMs, () => controller.abort());
    try {
      const response = await fetch(address, { cache: 'no-store', signal: controller.signal });
      return { status: response.status, body: parse(await response.text()) };
    } catch (thrown) {
      throw controller.signal.aborted
        ? timeoutError(call, { timeoutMs, timeoutCounts: 'request' })
        : networkError(call, thrown);
    } finally {
      cancelTimer();
    }
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
