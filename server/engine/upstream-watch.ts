import type { CancelTimer, Clock } from '../../src/core/clock.ts';
import { ApiError } from '../core/api-error.ts';
import type { EngineState } from './engine-port.ts';
import { failureCode, isCertificateFault } from './upstream-fetch.ts';

/** What one look at another server said. */
export type ProbeResult = EngineState;

/** Knows whether another server can be asked. */
export type UpstreamWatch = ReturnType<typeof createUpstreamWatch>;

const LOOK_AGAIN_MS = 2_000;

/**
 * Looks with `probe` at the start and after every failure that may be an outage, then every two
 * seconds until it is ready. A server in order is left in peace.
 */
export function createUpstreamWatch(probe: () => Promise<ProbeResult>, clock: Clock) {
  let state: EngineState = { kind: 'loading' };
  let looking: Promise<void> | null = null;
  let cancelNext: CancelTimer = () => {};
  let isOver = false;

  async function look(): Promise<void> {
    state = await probe();
    looking = null;
    if (state.kind === 'ready' || isOver) return;
    cancelNext = clock.after(LOOK_AGAIN_MS, () => void begin());
  }

  function begin(): Promise<void> {
    looking ??= look();
    return looking;
  }

  return {
    state: (): EngineState => state,
    /** Looks once; goes on looking until it is ready. Never rejects. */
    start: begin,
    /** Told of a failed request; looks again when the server may be gone. */
    note(error: unknown) {
      const isOutage = error instanceof ApiError && OUTAGES.has(error.code);
      if (isOutage && state.kind === 'ready' && !isOver) void begin();
    },
    /** Looks no more. */
    end() {
      isOver = true;
      cancelNext();
    },
  };
}

const OUTAGES: ReadonlySet<string> = new Set(['engine_unreachable', 'engine_refused']);
const PROBE_TIMEOUT_MS = 5_000;

/** Gets `url`; `judge` says what its status means. No connection is `failed`. */
export async function probeUrl(
  fetch: typeof globalThis.fetch,
  url: string,
  headers: Readonly<Record<string, string>>,
  judge: (status: number) => ProbeResult,
): Promise<ProbeResult> {
  try {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const response = await fetch(url, { headers, signal, redirect: 'manual' });
    await response.body?.cancel();
    return judge(response.status);
  } catch (error) {
    // Anybody may read the reason; the log has the server's name and the code.
    const isUntrusted = isCertificateFault(failureCode(error) ?? '');
    const reason = isUntrusted
      ? "the speech server's certificate is not trusted here"
      : 'the speech server cannot be reached';
    return { kind: 'failed', reason };
  }
}
