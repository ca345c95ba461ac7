import type { ServerEngine, ServerState } from '../session/snapshot.ts';

/** An answer from the address of the server's health: of anything that speaks HTTP. */
export type HealthAnswer = {
  /** 0 where it is not told: a redirect, or an answer that this page may not read. */
  readonly status: number;
  /** The answer's JSON; undefined if it is none. */
  readonly body: unknown;
};

/** A server's words on itself, as the contract has them. */
export type OwnWords = Readonly<Record<string, unknown>> & {
  readonly status: string;
  readonly engine: string;
};

const STATUSES = ['loading', 'ready', 'failed', 'stopping'];

/** Reads the server's state from its health answer. */
export function readHealth(answer: HealthAnswer): ServerState {
  const own = ownWordsIn(answer);
  return own ? stateIn(own) : stateOfOther(answer);
}

/** A health answer of the contract; null if it is another's, or another program's. */
export function ownWordsIn({ body }: HealthAnswer): OwnWords | null {
  const { status, engine, languages, ...rest } = Object(body) as Record<string, unknown>;
  const isOwn = typeof engine === 'string' && Array.isArray(languages);
  if (!isOwn || typeof status !== 'string' || !STATUSES.includes(status)) return null;
  return { ...rest, status, engine, languages };
}

function stateIn({ status, engine, engines, model, languages, freePieces }: OwnWords): ServerState {
  if (status === 'loading') return { kind: 'loading' };
  if (status !== 'ready') return unavailable(status);
  const whole = { model: String(model), languages: textsIn(languages) };
  // A server with one engine need not name it twice.
  return {
    kind: 'ready',
    engine,
    ...whole,
    engines: readEngines(engines) ?? [whole],
    ...(freePieces === true && { freePieces }),
  };
}

/**
 * Anything that answers may take requests, unless it says that the server behind it is not there.
 */
function stateOfOther({ status }: HealthAnswer): ServerState {
  return status < 500 ? { kind: 'untold' } : unavailable(`HTTP ${status}`);
}

function unavailable(what: string): ServerState {
  const message = `The server is not ready: ${what}`;
  return { kind: 'unavailable', error: { code: 'http-answer-wrong', message } };
}

function readEngines(engines: unknown): readonly ServerEngine[] | null {
  if (!Array.isArray(engines)) return null;
  const ready = engines.map(Object).filter(({ status }) => status === 'ready');
  return ready.map(({ model, languages }) => {
    return { model: String(model), languages: textsIn(languages) };
  });
}

/** The strings in a list; none where it is no list. */
export function textsIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [];
}
