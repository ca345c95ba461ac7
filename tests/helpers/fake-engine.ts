import type { EngineState, TranscriptionEngine } from '../../server/engine/engine-port.ts';

/** One call to the engine that waits for the test's answer. */
export type EngineCall = {
  readonly samples: Float32Array;
  readonly signal: AbortSignal;
  readonly language: string;
  readonly fast: boolean;
  answer(text: string): void;
  fail(error: Error): void;
};

/** An engine in the hands of a test. */
export type FakeEngine = {
  readonly engine: TranscriptionEngine;
  /** Every call so far, in order. */
  readonly calls: readonly EngineCall[];
  set(state: EngineState): void;
};

/**
 * An engine, English unless told otherwise, that is ready at once. It answers `text`; without, each
 * call waits for the test.
 */
export function createFakeEngine(text: string | null = 'fever', language = 'en'): FakeEngine {
  let state: EngineState = { kind: 'ready' };
  const calls: EngineCall[] = [];
  return {
    calls,
    set(next) {
      state = next;
    },
    engine: {
      description: {
        engine: 'fake',
        model: 'fake-1',
        languages: [language],
        defaultLanguage: language,
      },
      state: () => state,
      start: async () => undefined,
      transcribe: (samples, wish, signal) =>
        new Promise((answer, fail) => {
          const say = (said: string) => answer({ text: said, language: wish.language });
          calls.push({ ...wish, samples, signal, answer: say, fail });
          if (text !== null) say(text);
        }),
    },
  };
}

/** Answers at once and keeps nothing, unlike the tests' engine: for those who look at memory. */
export const FORGETFUL_ENGINE: TranscriptionEngine = {
  description: { engine: 'none', model: 'none', languages: ['en'], defaultLanguage: 'en' },
  state: () => ({ kind: 'ready' }),
  start: async () => undefined,
  transcribe: async () => ({ text: 'words', language: 'en' }),
};
