import type { Clock } from '../src/core/clock.ts';
import type { HealthAnswer } from '../src/core/contracts/server-health.ts';
import { deadline } from '../src/platform/deadline.ts';
import { networkError, timeoutError } from './http/http-errors.ts';
import { isOfOrigin } from './upload/own-origin.ts';

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
  const isOwn = isOfOrigin(address);
  /** Another origin's, which lets this page read what it is sent and not its health. */
  let isUnreadable = false;

  async function look(signal: AbortSignal): Promise<HealthAnswer> {
    // A redirect of one's own server leads to a sign-in or a start page, and mostly out of reach.
    const redirect = isOwn ? 'manual' : 'follow';
    const response = await fetch(address, { cache: 'no-store', redirect, signal });
    return { status: response.status, body: parse(await response.text()) };
  }

  /** Whether anybody is there: all that can be seen where the answer may not be read. */
  async function lookFromAfar(signal: AbortSignal): Promise<HealthAnswer> {
    await fetch(address, { cache: 'no-store', mode: 'no-cors', signal });
    isUnreadable = true;
    return { status: 0, body: undefined };
  }

  return async (timeoutMs) => {
    const { signal, end } = deadline(clock, timeoutMs);
    try {
      if (isUnreadable) return await lookFromAfar(signal);
      return await look(signal).catch((thrown: unknown) => {
        if (isOwn || signal.aborted) throw thrown;
        return lookFromAfar(signal);
      });
    } catch (thrown) {
      throw signal.aborted
        ? timeoutError(call, { timeoutMs, timeoutCounts: 'request' })
        : networkError(call, thrown);
    } finally {
      end();
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
