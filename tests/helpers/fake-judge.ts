import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import type {
  BareEngine,
  SpeechEngineKind,
  SpeechModel,
} from '../../src/core/speech/speech-engine.ts';
import { SELF_TEST_PROBABILITIES } from '../../workers/vad/self-test.ts';

/** A judge of speech that knows the self-test's answers by heart and writes down its calls. */
export type FakeJudge = BareEngine & {
  readonly calls: readonly string[];
  readonly twins: readonly FakeJudge[];
};

/**
 * Makes one. `answer` may change the right answer for a frame, counted from 0 since the last reset.
 */
export function createFakeJudge(
  model: SpeechModel,
  kind: SpeechEngineKind = 'ort',
  answer: (right: number, frame: number) => number | Promise<number> = (right) => right,
): FakeJudge {
  const calls: string[] = [];
  const twins: FakeJudge[] = [];
  let frame = 0;
  return {
    model,
    kind,
    calls,
    twins,
    judge(samples) {
      if (samples.length !== FRAME_SAMPLES) throw new Error(`A frame of ${samples.length}`);
      calls.push('judge');
      const right = SELF_TEST_PROBABILITIES[model][frame] ?? 0;
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
      const twin = createFakeJudge(model, kind, answer);
      twins.push(twin);
      return twin;
    },
  };
}
