import { EnvHttpProxyAgent, fetch as fetchByWayOf } from 'undici';
import type { CancelTimer, Clock } from '../../src/core/clock.ts';
import { ApiError } from '../core/api-error.ts';
import type { EngineState } from './engine-port.ts';

/** By way of which proxies other servers are asked. */
export type UpstreamProxies = {
  /** For `http://`; null for none. */
  readonly http: string | null;
  /** For `https://`; null for none. */
  readonly https: string | null;
  /** Names that are asked directly, as `NO_PROXY` lists them. */
  readonly exempt: string;
};

/** A connection that failed: which server, and the system's or TLS's code for it. */
type UpstreamFailure = { readonly host: string; readonly code: string };

/** A speech server on this machine is never behind a proxy. */
const ON_THIS_MACHINE = 'localhost,127.0.0.1,::1,[::1]';

/**
 * Makes the fetch that speech servers are asked with. `onFailure` is told when a server's failure is
 * a new one, so that a server that is away for a day is one line and not 40,000.
 *
 * @default directly, without a proxy
 */
export function createUpstreamFetch(
  onFailure: (failure: UpstreamFailure) => void,
  proxies: UpstreamProxies | null = null,
): typeof globalThis.fetch {
  const ask = proxies === null ? globalThis.fetch : fetchBy(proxies);
  const known = new Map<string, string>();
  return async (input, init) => {
    const { host } = new URL(input instanceof Request ? input.url : input);
    try {
      const response = await ask(input, init);
      known.delete(host);
      return response;
    } catch (error) {
      const code = failureCode(error);
      if (code !== null && known.get(host) !== code) {
        known.set(host, code);
        onFailure({ host, code });
      }
      throw error;
    }
  };
}

function fetchBy({ http, https, exempt }: UpstreamProxies): typeof globalThis.fetch {
  const dispatcher = new EnvHttpProxyAgent({
    // Undefined would have it read the environment by its own rules.
    httpProxy: http ?? '',
    httpsProxy: https ?? '',
    noProxy: [exempt, ON_THIS_MACHINE].filter(Boolean).join(','),
    // Many proxies open tunnels to TLS ports only.
    proxyTunnel: false,
  });
  // The same standard, typed twice.
  return ((input: string | URL, init?: object) =>
    fetchByWayOf(input, { ...init, dispatcher })) as unknown as typeof globalThis.fetch;
}

/** The code of a connection's failure, such as `ENOTFOUND`; null where the caller ended it. */
function failureCode(error: unknown): string | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === 'AbortError' || cause.name === 'TimeoutError') return null;
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
  }
  return 'unknown';
}

/** True if a code says that the server's certificate is not one to trust. */
function isCertificateFault(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ISSUER|ALTNAME/.test(code);
}

/** The result of one look at another server. */
export type ProbeResult = EngineState;

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
    /** Notes a failed request; checks the server again when it may be gone. */
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
