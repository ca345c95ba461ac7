import type { Clock } from '../../src/core/clock.ts';
import { ApiError } from '../core/api-error.ts';
import {
  EngineEnded,
  type EngineState,
  ModelUnloadable,
  type Recognise,
  type Recognised,
  type RunningRecogniser,
} from './engine-port.ts';

/** The parts that keep a recogniser going. */
export type SupervisorPorts = {
  /** Starts one; called again when it has ended. */
  readonly launch: () => RunningRecogniser;
  readonly clock: Clock;
  /** Called with the reason why one could not be loaded, ended or was ended, for the log. */
  readonly onFailure: (error: Error) => void;
  /** True if a second one is kept loaded, to take over when the first ends. @default false */
  readonly hasSpare?: boolean;
  /** The time one may load, in ms. @default 60000 */
  readonly loadMs?: number;
  /** The time it may work on one utterance, in ms. @default 30000 */
  readonly stallMs?: number;
  /** The number of times it may end within a time before it is given up. @default any */
  readonly restarts?: { readonly most: number; readonly withinMs: number };
};

/** A recogniser that is started again when it ends. */
export type SupervisedRecogniser = {
  state(): EngineState;
  /** Starts the first; fulfilled when it is ready or has failed. */
  start(): Promise<void>;
  /** Rejects with `engine_failed` (503, Retry-After) when it ends or does not come back. */
  readonly recognise: Recognise;
  /** Ends it for good. */
  stop(): void;
};

/** 14 s of speech take about 0.3 s; whoever needs a hundred times that is not coming back. */
const STALL_MS = 30_000;

/** Loading takes a second; a machine under load or a slow disk takes more. */
const LOAD_MS = 60_000;

/** One that ends before it is ready is tried again after this, doubled each time. */
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 30_000;

/** Ends in a row before one was ready, from which on nobody should be told that it is loading. */
const MAX_STARTS = 4;

/** The first spare waits for this, so that it takes no processor from the first requests. */
const SPARE_WAIT_MS = 5_000;

type Launched = { readonly recogniser: RunningRecogniser; isReady: boolean };

/**
 * Keeps a recogniser running. When one ends, the spare takes over or another starts at once; one
 * that does not come back is ended. Their requests are refused, to be sent again: one of them may
 * be what ended them.
 */
export function superviseRecogniser(ports: SupervisorPorts): SupervisedRecogniser {
  const { launch, clock, onFailure, hasSpare = false } = ports;
  const { loadMs = LOAD_MS, stallMs = STALL_MS, restarts } = ports;
  let current: Launched | null = null;
  let spare: Launched | null = null;
  let state: EngineState = { kind: 'loading' };
  let endsInARow = 0;
  let endedAtMs: readonly number[] = [];
  let isStopped = false;
  let cancelSpare = () => {};

  function launchOne(): Launched {
    const launched: Launched = { recogniser: launch(), isReady: false };
    void launched.recogniser.ended.then((reason) => ended(launched, reason));
    return launched;
  }

  /** Fulfilled when it is ready or has failed; rejects with a ModelUnloadable only. */
  async function untilReady(launched: Launched): Promise<void> {
    const cancelTimer = clock.after(loadMs, launched.recogniser.end);
    try {
      await launched.recogniser.ready;
      launched.isReady = true;
    } catch (error) {
      if (error instanceof ModelUnloadable) throw error;
    } finally {
      cancelTimer();
    }
  }

  async function run(launched: Launched): Promise<void> {
    current = launched;
    try {
      await untilReady(launched);
    } catch (error) {
      if (error instanceof ModelUnloadable) giveUp(launched, error);
      return;
    }
    if (launched.isReady) serveWith(launched, SPARE_WAIT_MS);
  }

  function serveWith(launched: Launched, spareWaitMs: number): void {
    current = launched;
    endsInARow = 0;
    state = { kind: 'ready' };
    planSpare(spareWaitMs);
  }

  function planSpare(waitMs: number): void {
    cancelSpare();
    if (!hasSpare || isStopped || spare !== null) return;
    cancelSpare = clock.after(waitMs, () => {
      spare = launchOne();
      // One that cannot be loaded ends, and is tried again like any other.
      untilReady(spare).catch(spare.recogniser.end);
    });
  }

  function giveUp({ recogniser }: Launched, error: ModelUnloadable): void {
    stop();
    state = { kind: 'failed', reason: error.reason };
    onFailure(error);
    recogniser.end();
  }

  /** True if it has now ended once too often. */
  function isWornOut(): boolean {
    if (restarts === undefined) return false;
    const nowMs = clock.nowMs();
    endedAtMs = [...endedAtMs.filter((atMs) => nowMs - atMs < restarts.withinMs), nowMs];
    return endedAtMs.length > restarts.most;
  }

  function ended(launched: Launched, reason: Error): void {
    if (isStopped || (launched !== current && launched !== spare)) return;
    onFailure(reason);
    if (isWornOut()) {
      giveUp(launched, new ModelUnloadable('the engine ends again and again', 'it is given up'));
      return;
    }
    if (launched === spare) {
      spare = null;
      planSpare(MAX_WAIT_MS);
      return;
    }
    const next = spare;
    spare = null;
    if (next?.isReady) {
      serveWith(next, 0);
      return;
    }
    const wasReady = state.kind === 'ready';
    endsInARow++;
    state =
      endsInARow < MAX_STARTS
        ? { kind: 'loading' }
        : { kind: 'failed', reason: 'the engine ends again and again' };
    if (next !== null) void run(next);
    else if (wasReady) void run(launchOne());
    else {
      const waitMs = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (endsInARow - 1));
      clock.after(waitMs, () => {
        if (!isStopped) void run(launchOne());
      });
    }
  }

  function recognise(utterance: Float32Array, language: string): Promise<Recognised> {
    const recogniser = current?.recogniser;
    if (recogniser === undefined || state.kind !== 'ready') return Promise.reject(unready());
    return new Promise((resolve, reject) => {
      const cancelTimer = clock.after(stallMs, () => {
        recogniser.end();
        reject(unready(new Error(`a decode took more than ${stallMs} ms`)));
      });
      recogniser
        .recognise(utterance, language)
        .then(resolve, (error) => reject(error instanceof EngineEnded ? unready(error) : error))
        .finally(cancelTimer);
    });
  }

  function stop(): void {
    isStopped = true;
    cancelSpare();
    current?.recogniser.end();
    spare?.recogniser.end();
  }

  return { state: () => state, start: () => run(launchOne()), recognise, stop };
}

function unready(cause?: unknown): ApiError {
  const message = 'The speech engine is starting again; try again shortly.';
  return new ApiError(503, 'engine_failed', message, { cause, retryAfterS: 1 });
}
