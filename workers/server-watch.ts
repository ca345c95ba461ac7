import type { CancelTimer, Clock } from '../src/core/clock.ts';
import { toErrorInfo } from '../src/core/errors.ts';
import type { Logger } from '../src/core/logger.ts';
import type { ServerEngine, ServerState } from '../src/core/snapshot.ts';
import type { SnapshotEvent } from '../src/core/snapshot-events.ts';

/** How soon a server that was not ready is asked again. */
const LOADING_RETRY_MS = 1_000;
const UNAVAILABLE_RETRY_MS = 30_000;

export type ServerWatchPorts = {
  /** The health answer, whatever its status; rejects when there is none. */
  readonly fetchHealth: () => Promise<unknown>;
  readonly clock: Clock;
  readonly dispatch: (event: SnapshotEvent) => void;
  /** Told once why the server is of no use, and again when that changes. */
  readonly log: Logger;
};

/** Asks the server how it is, until it is ready. */
export type ServerWatch = {
  /** Asks now, unless it is known to be ready. */
  ask(): void;
};

export function createServerWatch(ports: ServerWatchPorts): ServerWatch {
  const { fetchHealth, clock, dispatch, log } = ports;
  let isAsking = false;
  let isReady = false;
  let cancelTimer: CancelTimer = () => {};
  let loggedWhy = '';

  async function ask(): Promise<void> {
    if (isAsking || isReady) return;
    isAsking = true;
    cancelTimer();
    const server = await fetchHealth().then(readHealth, toUnavailable);
    isAsking = false;
    isReady = server.kind === 'ready';
    dispatch({ kind: 'server-changed', server });
    const why = server.kind === 'unavailable' ? server.error.message : '';
    if (why !== '' && why !== loggedWhy) log.warn('The transcription server is of no use now', why);
    loggedWhy = why;
    if (isReady) return;
    const waitMs = server.kind === 'loading' ? LOADING_RETRY_MS : UNAVAILABLE_RETRY_MS;
    cancelTimer = clock.after(waitMs, () => void ask());
  }

  return { ask: () => void ask() };
}

function toUnavailable(thrown: unknown): ServerState {
  return { kind: 'unavailable', error: toErrorInfo(thrown, 'http-network') };
}

/** What a health answer says; anything unexpected counts as no answer. */
function readHealth(answer: unknown): ServerState {
  const { status, engine, engines, model, languages } = Object(answer) as Record<string, unknown>;
  if (status === 'loading') return { kind: 'loading' };
  if (status === 'ready' && typeof engine === 'string' && Array.isArray(languages)) {
    const whole = { model: String(model), languages: codesIn(languages) };
    // A server with one engine need not name it twice.
    return { kind: 'ready', engine, ...whole, engines: readEngines(engines) ?? [whole] };
  }
  return {
    kind: 'unavailable',
    error: { code: 'http-answer-wrong', message: `The server is not ready: ${String(status)}` },
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
