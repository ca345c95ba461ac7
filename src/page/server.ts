import { useEffect, useSyncExternalStore } from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import { readHealth } from '../core/contracts/server-health.ts';
import { toErrorInfo } from '../core/errors.ts';
import type { ServerState } from '../core/session/snapshot.ts';
import { useSnapshot } from '../widget/hooks.ts';
import { languageName } from '../widget/said-in.ts';

/** Beside the page. */
export const HEALTH_ADDRESS = 'api/health';
const TIMEOUT_MS = 10_000;
const REFRESH_MS = 10_000;

/**
 * State of the server. The page asks by itself until there is a worker that does, so that a missing
 * language is mentioned before anybody speaks.
 */
export function useServer(dictation: Dictation): ServerState {
  const told = useSnapshot(dictation, ({ server }) => server);
  const reachability = reachabilityOf(dictation);
  const seen = useSyncExternalStore(reachability.subscribe, reachability.state);
  const isUntold = told.kind === 'unknown';
  useEffect(() => {
    if (isUntold) return reachability.begin();
  }, [reachability, isUntold]);
  return isUntold ? seen : told;
}

/**
 * True if a sign-in page, or a refusal, comes in place of the server's health. Asked until the
 * server itself answers: the person may sign in in another window.
 */
export function useSignedOut(dictation: Dictation): boolean {
  const told = useSnapshot(dictation, ({ server }) => server.kind);
  const reachability = reachabilityOf(dictation);
  const seen = useSyncExternalStore(reachability.subscribe, reachability.state);
  const isOut = isSignedOut(seen) && told !== 'ready';
  // The worker takes whatever answers for a server that tells nothing.
  const isUntold = told === 'unknown' || (told === 'untold' && seen.kind === 'unknown');
  useEffect(() => {
    if (isUntold || isOut) return reachability.begin();
  }, [reachability, isUntold, isOut]);
  return isOut;
}

/** True of a state that `askHealth` found behind a sign-in. */
export function isSignedOut(server: ServerState): boolean {
  return server.kind === 'unavailable' && server.error.code === 'http-signed-out';
}

/** One for all components that show it. */
type Reachability = ReturnType<typeof createReachability>;

const reachabilities = new WeakMap<Dictation, Reachability>();

function reachabilityOf(dictation: Dictation): Reachability {
  const reachability = reachabilities.get(dictation) ?? createReachability();
  reachabilities.set(dictation, reachability);
  return reachability;
}

function createReachability() {
  let state: ServerState = { kind: 'unknown' };
  let watchers = 0;
  let isUnderWay = false;
  const listeners = new Set<() => void>();

  async function run(): Promise<void> {
    if (isUnderWay) return;
    isUnderWay = true;
    while (watchers > 0 && state.kind !== 'ready') {
      if (!document.hidden) {
        state = await askHealth();
        for (const listener of listeners) listener();
      }
      await new Promise((resolve) => setTimeout(resolve, REFRESH_MS));
    }
    isUnderWay = false;
  }

  return {
    state: () => state,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Asks until the server is ready, or until the answer is called. */
    begin(): () => void {
      watchers += 1;
      void run();
      return () => {
        watchers -= 1;
      };
    },
  };
}

async function askHealth(): Promise<ServerState> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    // Followed to another origin, a sign-in looks like a network that is gone.
    const response = await fetch(HEALTH_ADDRESS, { cache: 'no-store', redirect: 'manual', signal });
    const text = await response.text();
    if (wantsSignIn(response)) {
      const message = `GET ${HEALTH_ADDRESS}: a sign-in stands before the server`;
      return { kind: 'unavailable', error: { code: 'http-signed-out', message } };
    }
    return readHealth({ status: response.status, body: parse(text) });
  } catch (thrown) {
    return { kind: 'unavailable', error: toErrorInfo(thrown, 'http-network') };
  }
}

/** An error page says nothing of who may ask: a proxy's is HTML, too. */
function wantsSignIn({ type, status, ok, headers }: Response): boolean {
  const isPage = ok && /html/i.test(headers.get('content-type') ?? '');
  return type === 'opaqueredirect' || status === 401 || status === 403 || isPage;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Names needed on nearly every page as it opens: the browser's own take Chromium 30 ms to load (two
 * cores, not slowed).
 */
const KNOWN_NAMES: ReadonlyMap<string, string> = new Map([
  ['sv sv', 'svenska'],
  ['sv en', 'engelska'],
  ['en sv', 'Swedish'],
  ['en en', 'English'],
]);

/** The likely languages of a recording that names none. */
export function likelyLanguages(): readonly string[] {
  return [document.documentElement.lang, navigator.language];
}

/** "svenska" for `sv`; the code itself where there is no name. */
export function quickLanguageName(locale: string, code: string): string {
  return KNOWN_NAMES.get(`${locale} ${code}`) ?? languageName(locale, code);
}

/** "svenska, engelska och norska". Nothing is loaded where there is nothing to join. */
export function listText(locale: string, items: readonly string[]): string {
  const [only = ''] = items;
  return items.length < 2 ? only : new Intl.ListFormat(locale).format(items);
}
