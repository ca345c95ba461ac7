import type { Clock } from '../../src/core/clock.ts';
import type { EngineDescription, EngineState, TranscriptionEngine } from './engine-port.ts';
import { ModelFileError } from './package-files.ts';
import { type Recogniser, recogniseInPieces } from './recognise-in-pieces.ts';

const DESCRIPTION: EngineDescription = {
  engine: 'moonshine',
  model: 'moonshine-tiny-int8',
  languages: ['en'],
  defaultLanguage: 'en',
};

/** 14 s of speech take about 0.3 s; whoever needs a hundred times that is not coming back. */
const STALL_MS = 30_000;

/** What the engine is made of. */
export type MoonshinePorts = {
  /** Loads the model; see `loadMoonshine`. */
  readonly load: () => Promise<Recogniser>;
  readonly clock: Clock;
  /** Told why loading failed, for the log. */
  readonly onFailure: (error: unknown) => void;
};

/**
 * The embedded engine: English, from the npm registry alone. One speed, so `fast` changes nothing.
 * A decode that hangs fails its request and takes the engine out of service until it comes back: each
 * one holds one of Node's four pool threads, so going on would stop the file system with it.
 */
export function createMoonshineEngine(ports: MoonshinePorts): TranscriptionEngine {
  let recogniser: Recogniser | null = null;
  let failure: string | null = null;
  let started: Promise<void> | null = null;
  let stalled = 0;

  function state(): EngineState {
    if (failure !== null) return { status: 'failed', reason: failure };
    if (recogniser === null) return { status: 'loading' };
    if (stalled > 0) return { status: 'failed', reason: 'a decode does not come back' };
    return { status: 'ready' };
  }

  async function load(): Promise<void> {
    try {
      recogniser = await ports.load();
    } catch (error) {
      failure = error instanceof ModelFileError ? error.message : 'the model could not be loaded';
      ports.onFailure(error);
    }
  }

  function guarded(recognise: Recogniser): Recogniser {
    return (utterance) =>
      new Promise((resolve, reject) => {
        let isStalled = false;
        const cancelTimer = ports.clock.after(STALL_MS, () => {
          isStalled = true;
          stalled++;
          reject(new Error(`a decode took more than ${STALL_MS} ms`));
        });
        const settle = () => {
          cancelTimer();
          if (isStalled) stalled--;
        };
        recognise(utterance).then(
          (text) => {
            settle();
            resolve(text);
          },
          () => {
            settle();
            // Its own message may quote the text it could not read, so it goes no further.
            reject(new Error('the decoder failed'));
          },
        );
      });
  }

  return {
    description: DESCRIPTION,
    state,
    start() {
      started ??= load();
      return started;
    },
    async transcribe(samples, { language }, signal) {
      if (recogniser === null) throw new Error('the engine is not loaded');
      return { text: await recogniseInPieces(guarded(recogniser), samples, signal), language };
    },
  };
}
