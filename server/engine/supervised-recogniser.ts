import type { Clock } from '../../src/core/clock.ts';
import { ApiError } from '../api-error.ts';
import type { EngineState } from './engine-port.ts';
import { EngineEnded, ModelUnloadable, type RunningRecogniser } from './engine-process.ts';
import type { Recogniser } from './recognise-in-pieces.ts';

/** What keeps a recogniser going. */
export type SupervisorPorts = {
  /** Starts one; called again when it has ended. */
  readonly launch: () => RunningRecogniser;
  readonly clock: Clock;
  /** Told why one could not be loaded, ended or was ended, for the log. */
  readonly onFailure: (error: Error) => void;
};

/** A recogniser that is started again when it ends. */
export type SupervisedRecogniser = {
  state(): EngineState;
  /** Starts the first; fulfilled when it is ready or has failed. */
  start(): Promise<void>;
  /** Rejects with `engine_failed` (503, Retry-After) when the recogniser ends or does not come back. */
  readonly recognise: Recogniser;
  /** Ends it for good. */
  stop(): void;
};

/** 14 s of speech take about 0.3 s; whoever needs a hundred times that is not coming back. */
const STALL_MS = 30_000;

/** Loading takes half a second; the hash of the model is most of it on a slow disk. */
const LOAD_MS = 60_000;

/** One that ends before it is ready is tried again after this, doubled each time. */
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 30_000;

/** Ends in a row before one was ready, from which on nobody should be told that it is loading. */
const MAX_STARTS = 4;

/**
 * Keeps a recogniser running. One that ends is started again at once, and one that does not come back is ended:
 * what they had under way is refused, to be sent again.
 */
export function superviseRecogniser(ports: SupervisorPorts): SupervisedRecogniser {
  const { launch, clock, onFailure } = ports;
  let current: RunningRecogniser | null = null;
  let state: EngineState = { status: 'loading' };
  let endsInARow = 0;
  let isStopped = false;

  async function run(): Promise<void> {
    const recogniser = launch();
    current = recogniser;
    void recogniser.ended.then((reason) => startAgain(recogniser, reason));
    const cancelTimer = clock.after(LOAD_MS, recogniser.end);
    try {
      await recogniser.ready;
    } catch (error) {
      if (error instanceof ModelUnloadable) giveUp(recogniser, error);
      return;
    } finally {
      cancelTimer();
    }
    endsInARow = 0;
    state = { status: 'ready' };
  }

  function giveUp(recogniser: RunningRecogniser, error: ModelUnloadable): void {
    isStopped = true;
    state = { status: 'failed', reason: error.reason };
    onFailure(error);
    recogniser.end();
  }

  function startAgain(recogniser: RunningRecogniser, reason: Error): void {
    if (isStopped || recogniser !== current) return;
    onFailure(reason);
    const wasReady = state.status === 'ready';
    endsInARow++;
    state =
      endsInARow < MAX_STARTS
        ? { status: 'loading' }
        : { status: 'failed', reason: 'the engine ends again and again' };
    if (wasReady) void run();
    else
      clock.after(Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (endsInARow - 1)), () => void run());
  }

  function recognise(utterance: Float32Array): Promise<string> {
    const recogniser = current;
    if (recogniser === null || state.status !== 'ready') return Promise.reject(unready());
    return new Promise((resolve, reject) => {
      const cancelTimer = clock.after(STALL_MS, () => {
        recogniser.end();
        reject(unready(new Error(`a decode took more than ${STALL_MS} ms`)));
      });
      recogniser
        .recognise(utterance)
        .then(resolve, (error) => reject(error instanceof EngineEnded ? unready(error) : error))
        .finally(cancelTimer);
    });
  }

  return {
    state: () => state,
    start: run,
    recognise,
    stop() {
      isStopped = true;
      current?.end();
    },
  };
}

function unready(cause?: unknown): ApiError {
  const message = 'The speech engine is starting again; try again shortly.';
  return new ApiError(503, 'engine_failed', message, { cause, retryAfterS: 1 });
}
