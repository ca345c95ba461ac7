import type { CancelTimer, Clock, Random } from '../src/core/clock.ts';
import { toErrorInfo } from '../src/core/errors.ts';
import type { Logger } from '../src/core/logger.ts';
import type { ServerEngine, ServerState } from '../src/core/session/snapshot.ts';
import type { SnapshotEvent } from '../src/core/session/snapshot-events.ts';
import type { HealthAnswer, HealthCheck } from './health-check.ts';
import type { ServerSight } from './queue/server-need.ts';

/** How soon a server that was not ready is asked again. */
const LOADING_RETRY_MS = 1_000;
const UNAVAILABLE_RETRY_MS = 30_000;

/**
 * How often it is looked for while something waits for it and a tab is visible; a quarter less at
 * most. So that with the requests that follow the text is there within 3 s of its return.
 */
const KEEN_LOOK_MS = 1_600;
/** A look that takes longer is none: the next one may find more. */
const KEEN_TIMEOUT_MS = 2_000;
const JITTER_SHARE = 0.25;
/** With no tab visible the pause doubles up to this. */
const MAX_HIDDEN_LOOK_MS = 30_000;

const PATIENT_TIMEOUT_MS = 10_000;

export type ServerWatchPorts = {
  readonly look: HealthCheck;
  readonly clock: Clock;
  readonly random: Random;
  readonly dispatch: (event: SnapshotEvent) => void;
  /** Told once why the server is of no use, and again when that changes. */
  readonly log: Logger;
  /** Whether something waits in this tab for the server's return. */
  readonly isNeeded: () => boolean;
  /** Whether a tab is visible. */
  readonly isSeen: () => Promise<boolean>;
  readonly onLook: (sight: ServerSight) => void;
};

/** Asks the server how it is, until it is ready, and whenever something waits for it. */
export type ServerWatch = {
  /** Asks now, unless it is known to be ready and nothing waits for it. */
  ask(): void;
  /** Asks now, also a server that is ready: it may have learnt a language. */
  look(): void;
  /** Something waits for it: looks soon, and again until nothing does. */
  need(): void;
};

export function createServerWatch(ports: ServerWatchPorts): ServerWatch {
  const { look, clock, random, dispatch, log, isNeeded, isSeen, onLook } = ports;
  let isAsking = false;
  let isReady = false;
  let nextLookMs = Number.POSITIVE_INFINITY;
  let cancelTimer: CancelTimer = () => {};
  let loggedWhy = '';
  let hiddenLooks = 0;

  async function ask(): Promise<void> {
    if (isReady && !isNeeded()) return;
    await askNow();
  }

  async function askNow(): Promise<void> {
    if (isAsking) return;
    isAsking = true;
    cancelTimer();
    nextLookMs = Number.POSITIVE_INFINITY;
    const sinceMs = clock.nowMs();
    const server = await lookOnce();
    const isKeen = isNeeded();
    hiddenLooks = !isKeen || (await isSeen()) ? 0 : hiddenLooks + 1;
    isAsking = false;
    if (server.kind === 'loading') plan(LOADING_RETRY_MS);
    // A clock that was set back does not say how long the look took.
    else if (isKeen) plan(keenPauseMs() - Math.max(0, clock.nowMs() - sinceMs));
    else if (!isReady) plan(UNAVAILABLE_RETRY_MS);
  }

  async function lookOnce(): Promise<ServerState> {
    const answer = await look(isNeeded() ? KEEN_TIMEOUT_MS : PATIENT_TIMEOUT_MS).catch(toError);
    const server = 'error' in answer ? { kind: 'unavailable' as const, ...answer } : read(answer);
    tell(server);
    onLook(isReady ? 'ready' : 'status' in answer && answer.status < 500 ? 'somebody' : 'nobody');
    return server;
  }

  function tell(server: ServerState): void {
    isReady = server.kind === 'ready';
    dispatch({ kind: 'server-changed', server });
    const why = server.kind === 'unavailable' ? server.error.message : '';
    if (why !== '' && why !== loggedWhy) log.warn('The transcription server is of no use now', why);
    loggedWhy = why;
  }

  function keenPauseMs(): number {
    const pauseMs = Math.min(KEEN_LOOK_MS * 2 ** hiddenLooks, MAX_HIDDEN_LOOK_MS);
    return pauseMs * (1 - JITTER_SHARE * random());
  }

  function plan(inMs: number): void {
    cancelTimer();
    const delayMs = Math.max(0, inMs);
    nextLookMs = clock.nowMs() + delayMs;
    cancelTimer = clock.after(delayMs, () => void ask());
  }

  return {
    ask() {
      hiddenLooks = 0;
      void ask();
    },
    look: () => void askNow(),
    need() {
      const delayMs = keenPauseMs();
      if (!isAsking && clock.nowMs() + delayMs < nextLookMs) plan(delayMs);
    },
  };
}

function toError(thrown: unknown): { readonly error: ReturnType<typeof toErrorInfo> } {
  return { error: toErrorInfo(thrown, 'http-network') };
}

/** What a health answer says; anything unexpected counts as no answer. */
function read({ status: httpStatus, body }: HealthAnswer): ServerState {
  const { status, engine, engines, model, languages } = Object(body) as Record<string, unknown>;
  if (status === 'loading') return { kind: 'loading' };
  if (status === 'ready' && typeof engine === 'string' && Array.isArray(languages)) {
    const whole = { model: String(model), languages: codesIn(languages) };
    // A server with one engine need not name it twice.
    return { kind: 'ready', engine, ...whole, engines: readEngines(engines) ?? [whole] };
  }
  const what = status === undefined ? `HTTP ${httpStatus}` : String(status);
  return {
    kind: 'unavailable',
    error: { code: 'http-answer-wrong', message: `The server is not ready: ${what}` },
  };
}

function readEngines(engines: unknown): readonly ServerEngine[] | null {
  if (!Array.isArray(engines)) return null;
  const ready = engines.map(Object).filter(({ status }) => status === 'ready');
  return ready.map(({ model, languages }) => {
    return { model: String(model), languages: codesIn(languages) };
  });
}

function codesIn(languages: unknown): readonly string[] {
  return Array.isArray(languages) ? languages.filter((code) => typeof code === 'string') : [];
}
