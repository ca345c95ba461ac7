import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import type { BareEngine, SpeechEngineKind } from '../../src/core/speech/speech-engine.ts';
import { SELF_TEST_PROBABILITIES } from '../../workers/audio/self-test.ts';

/** A speech engine that knows the self-test's answers by heart and writes down its calls. */
export type FakeSpeechEngine = BareEngine & {
  readonly calls: readonly string[];
  readonly twins: readonly FakeSpeechEngine[];
};

/**
 * Makes one. `answer` may change the right answer for a frame, counted from 0 since the last reset.
 */
export function createFakeSpeechEngine(
  kind: SpeechEngineKind = 'ort',
  answer: (right: number, frame: number) => number | Promise<number> = (right) => right,
): FakeSpeechEngine {
  const calls: string[] = [];
  const twins: FakeSpeechEngine[] = [];
  let frame = 0;
  return {
    kind,
    calls,
    twins,
    infer(samples) {
      if (samples.length !== FRAME_SAMPLES) throw new Error(`A frame of ${samples.length}`);
      calls.push('infer');
      const right = SELF_TEST_PROBABILITIES[frame] ?? 0;
      return answer(right, frame++);
    },
    reset() {
      calls.push('reset');
      frame = 0;
    },
    dispose() {
      calls.push('dispose');
    },
    twin() {
      const twin = createFakeSpeechEngine(kind, answer);
      twins.push(twin);
      return twin;
    },
  };
}
