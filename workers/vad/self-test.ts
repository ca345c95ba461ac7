import { FRAME_SAMPLES } from '../../src/core/audio-format.ts';
import { DikteraError } from '../../src/core/errors.ts';
import type { SpeechEngine, SpeechModel } from '../../src/core/speech-engine.ts';
import { createTestClip } from './test-clip.ts';

/**
 * What the models give for the frames of the test clip: onnxruntime's answers, fed one window at a
 * time. A context of zeros is off by up to 0.33 here, v5's weights by 0.24.
 */
export const SELF_TEST_PROBABILITIES: Readonly<Record<SpeechModel, readonly number[]>> = {
  v6: [
    0.012087, 0.006047, 0.700493, 0.974371, 0.974432, 0.98201, 0.883906, 0.849252, 0.927409,
    0.888598,
  ],
  v4: [
    0.004527, 0.001113, 0.803827, 0.972763, 0.995734, 0.996222, 0.994775, 0.994615, 0.993953,
    0.995876,
  ],
};

/**
 * As far as the models are sure of the voice. A wrong context or other weights are seen by then, and the
 * rest would take as long again: making the clip is slow in a script that has only just been loaded.
 */
export const SELF_TEST_FRAMES = 5;

/**
 * Judges the test clip's beginning and holds the answers against what the model is known to give, so that a wrong
 * file, context, state or order is found before anybody speaks; also that `reset` forgets. It warms
 * the engine up, too: the first inference in a process takes many times longer than the next. The
 * engine is reset before and after.
 *
 * `tolerance` is the largest difference allowed: 1e-3 for f32 weights, 1e-2 for half precision.
 * Throws `engine-failed`, which names the first wrong frame.
 */
export async function selfTest(engine: SpeechEngine, tolerance: number): Promise<void> {
  const expected = SELF_TEST_PROBABILITIES[engine.model].slice(0, SELF_TEST_FRAMES);
  const clip = createTestClip(SELF_TEST_FRAMES);
  engine.reset();
  try {
    for (const [frame, probability] of expected.entries()) {
      await expectProbability(engine, clip, frame, probability, tolerance);
    }
    engine.reset();
    await expectProbability(engine, clip, 0, expected[0] ?? 0, tolerance);
  } finally {
    engine.reset();
  }
}

async function expectProbability(
  engine: SpeechEngine,
  clip: Float32Array,
  frame: number,
  expected: number,
  tolerance: number,
): Promise<void> {
  const start = frame * FRAME_SAMPLES;
  const given = await engine.judge(clip.subarray(start, start + FRAME_SAMPLES));
  // Written so that NaN fails.
  if (Math.abs(given - expected) <= tolerance) return;
  const message = `Silero ${engine.model} (${engine.kind}) failed its self-test: frame ${frame} gave ${given}, not ${expected}`;
  throw new DikteraError('engine-failed', message);
}
