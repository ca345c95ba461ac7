import type { CancelTimer, Clock, Random } from '../src/core/clock.ts';
import {
  type HealthAnswer,
  type OwnWords,
  ownWordsIn,
  readHealth,
  textsIn,
} from '../src/core/contracts/server-health.ts';
import { DikteraError, type ErrorInfo, toErrorInfo } from '../src/core/errors.ts';
import type { Logger } from '../src/core/logger.ts';
import type { ServerState, SnapshotEvent } from '../src/core/session/snapshot.ts';
import { deadline } from '../src/platform/deadline.ts';
import { networkError, timeoutError } from './http/http-client.ts';
import type { ServerSight } from './upload/backlog.ts';
import { isOfOrigin } from './upload/transcribe-request.ts';

/** Looks once, for `timeoutMs` at most. Rejects with `http-network` or `http-timeout`. */
type HealthCheck = (timeoutMs: number) => Promise<HealthAnswer>;

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

  /** True if anybody is there: all that can be seen where the answer may not be read. */
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
      if (signal.aborted) throw timeoutError(call, `${timeoutMs} ms`);
      // The page may not have given its headers: the network is not to blame.
      throw thrown instanceof DikteraError ? thrown : networkError(call, thrown);
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

/** Delays before a server that was not ready is asked again. */
const LOADING_RETRY_MS = 1_000;
const UNAVAILABLE_RETRY_MS = 30_000;

/**
 * Time between checks while something waits for the server and a tab is visible; up to a quarter
 * shorter. With the requests that follow, the text is there within 3 s of the server's return.
 */
const KEEN_LOOK_MS = 1_600;
/** A look that takes longer is none: the next one may find more. */
const KEEN_TIMEOUT_MS = 2_000;
const JITTER_SHARE = 0.25;
/** With no tab visible the pause doubles up to this. */
const MAX_HIDDEN_LOOK_MS = 30_000;

const PATIENT_TIMEOUT_MS = 10_000;

type ServerWatchPorts = {
  readonly look: HealthCheck;
  readonly clock: Clock;
  readonly random: Random;
  readonly dispatch: (event: SnapshotEvent) => void;
  /** Gets one entry with the reason why the server is of no use, and again when that changes. */
  readonly log: Logger;
  readonly isNeeded: () => boolean;
  readonly isSeen: () => Promise<boolean>;
  /** True if something waits for a language that the server did not have. @default nothing */
  readonly isLanguageMissed?: () => boolean;
  readonly onLook: (sight: ServerSight, server: ServerState) => void;
};

/** The server's offers beyond the one call for texts, as it last said itself. */
type ServerOffer = {
  /** The types of audio it takes; null if it does not say. */
  readonly audioTypes: readonly string[] | null;
  /** It does the work of a key once, and lets pages of other origins send one. */
  readonly takesKeys: boolean;
  /** It can be asked where each word was said. */
  readonly tellsTimes: boolean;
  /** A dictation may come in many short requests at no cost. */
  readonly freePieces: boolean;
  /** Characters of names and terms that it can be told to expect. */
  readonly vocabularyCharacters: number;
  /** Stands for what its operator has of names and snippets; null for nothing. */
  readonly sharedVocabulary: string | null;
  /** The account that is signed in there; null if it does not say. */
  readonly account: string | null;
};

const NO_OFFER: ServerOffer = {
  audioTypes: null,
  takesKeys: false,
  tellsTimes: false,
  freePieces: false,
  vocabularyCharacters: 0,
  sharedVocabulary: null,
  account: null,
};

/**
 * Asks the server how it is, until it is ready or seen to tell nothing, and whenever something
 * waits for it.
 */
export function createServerWatch(ports: ServerWatchPorts) {
  const { look, clock, random, dispatch, log, isNeeded, isSeen, onLook } = ports;
  const { isLanguageMissed = () => false } = ports;
  let asking: Promise<void> | null = null;
  let state: ServerState = { kind: 'unknown' };
  let offer = NO_OFFER;
  /** True if `state` is what the server said of itself. */
  let isOwnWord = false;
  /** True if there is nothing to ask: a look only leaves a failure in the browser's console. */
  let isNotOffered = false;
  let nextLookMs = Number.POSITIVE_INFINITY;
  let cancelTimer: CancelTimer = () => {};
  let loggedWhy = '';
  let hiddenLooks = 0;

  async function ask(): Promise<void> {
    if (isKnown() && !isNeeded() && !isLanguageMissed()) return;
    await askNow();
  }

  function askNow(): Promise<void> {
    asking ??= askOnce();
    return asking;
  }

  async function askOnce(): Promise<void> {
    cancelTimer();
    nextLookMs = Number.POSITIVE_INFINITY;
    const sinceMs = clock.nowMs();
    const server = await lookOnce();
    const isKeen = isNeeded();
    hiddenLooks = !isKeen || (await isSeen()) ? 0 : hiddenLooks + 1;
    asking = null;
    if (server.kind === 'loading') plan(LOADING_RETRY_MS);
    // A clock that was set back does not say how long the look took.
    else if (isKeen) plan(keenPauseMs() - Math.max(0, clock.nowMs() - sinceMs));
    else if (!isKnown() || isLanguageMissed()) plan(UNAVAILABLE_RETRY_MS);
  }

  function isKnown(): boolean {
    return state.kind === 'ready' || state.kind === 'untold';
  }

  async function lookOnce(): Promise<ServerState> {
    const answer = await look(isNeeded() ? KEEN_TIMEOUT_MS : PATIENT_TIMEOUT_MS).catch(toError);
    if ('error' in answer) {
      isOwnWord = false;
      tell({ kind: 'unavailable', ...answer });
      onLook('nobody', state);
    } else {
      const own = ownWordsIn(answer);
      isOwnWord = own !== null;
      isNotOffered = NOT_OFFERED.includes(answer.status);
      if (own) offer = offerIn(own);
      tell(readHealth(answer));
      const isSomebody = answer.status < 500;
      onLook(state.kind === 'ready' ? 'ready' : isSomebody ? 'somebody' : 'nobody', state);
    }
    return state;
  }

  function tell(server: ServerState): void {
    state = server;
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
    /** Asks now, unless that is known and nothing waits for it. */
    ask() {
      hiddenLooks = 0;
      // A portal or a sign-in page may have stood in its place.
      if (state.kind === 'untold' && !isNotOffered) void askNow();
      else void ask();
    },
    /** Asks now, also a server that is ready: it may have learnt a language. */
    look: () => void askNow(),
    /** It has sent a text: so it is there, whatever was seen of it. */
    answered() {
      // Its own word that it has no engine just now stands: another of its engines wrote the text.
      const isSeen = state.kind === 'ready' || state.kind === 'loading' || state.kind === 'untold';
      if (isSeen || isOwnWord) return;
      tell({ kind: 'untold' });
      if (!isNeeded()) cancelTimer();
    },
    /** The server's offers, as far as is known now. */
    offer: (): ServerOffer => offer,
    /** Something waits for it: looks soon, and again until nothing does. */
    need() {
      const delayMs = keenPauseMs();
      if (!asking && clock.nowMs() + delayMs < nextLookMs) plan(delayMs);
    },
    /** Something waits for a language: looks now and then whether the server has learnt it. */
    missLanguage() {
      if (!asking && nextLookMs === Number.POSITIVE_INFINITY) plan(UNAVAILABLE_RETRY_MS);
    },
    /** The state last known; asks the server if nothing has answered yet. */
    async known(): Promise<ServerState> {
      if (!isKnown()) await askNow();
      return state;
    },
    /** As it was at the last look. */
    get state(): ServerState {
      return state;
    },
  };
}

function toError(thrown: unknown): { readonly error: ErrorInfo } {
  return { error: toErrorInfo(thrown, 'http-network') };
}

/** Nothing is there, or nothing that this page may read. */
const NOT_OFFERED = [0, 404, 405, 410];

function offerIn(own: OwnWords): ServerOffer {
  const { audioTypes, idempotencyKeys, freePieces, account } = own;
  const { vocabularyCharacters, sharedVocabulary, times } = own;
  return {
    audioTypes: Array.isArray(audioTypes) ? textsIn(audioTypes) : null,
    takesKeys: idempotencyKeys === true,
    tellsTimes: times === true,
    freePieces: freePieces === true,
    vocabularyCharacters: typeof vocabularyCharacters === 'number' ? vocabularyCharacters : 0,
    sharedVocabulary: typeof sharedVocabulary === 'string' ? sharedVocabulary : null,
    account: typeof account === 'string' ? account : null,
  };
}

/** Looks once at a server that nobody watches. */
export async function lookAtServer(look: HealthCheck): Promise<ServerState> {
  const answer = await look(PATIENT_TIMEOUT_MS).catch(toError);
  return 'error' in answer ? { kind: 'unavailable', ...answer } : readHealth(answer);
}
