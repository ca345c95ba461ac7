import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import { DikteraError } from '../../src/core/errors.ts';
import type { SpeechEngine } from '../../src/core/speech/speech-engine.ts';
import { createTestClip } from './test-clip.ts';

/**
 * What the model gives for the frames of the test clip: onnxruntime's answers, fed one window at a
 * time. In the frames that are tested a context of zeros is off by up to 0.056, v5's weights by
 * 0.2.
 */
export const SELF_TEST_PROBABILITIES: readonly number[] = [
  0.012087, 0.709854, 0.984352, 0.98563, 0.984758, 0.934071, 0.94256, 0.968609, 0.934949, 0.95937,
];

/**
 * As far as the model is sure of the voice. A wrong context or other weights are seen by then,
 * and the rest would take as long again.
 */
export const SELF_TEST_FRAMES = 4;

/**
 * Infers the test clip's beginning and holds the answers against what the model is known to give,
 * so that a wrong file, context, state or order is found before anybody speaks; also that `reset`
 * forgets. It warms the engine up, too: the first inference in a process takes many times longer
 * than the next. The engine is reset before and after.
 *
 * `tolerance` is the largest difference allowed: 1e-3 for f32 weights, 1e-2 for half precision.
 * Throws `engine-failed`, which names the first wrong frame.
 */
export async function selfTest(engine: SpeechEngine, tolerance: number): Promise<void> {
  const expected = SELF_TEST_PROBABILITIES.slice(0, SELF_TEST_FRAMES);
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
  const given = await engine.infer(clip.subarray(start, start + FRAME_SAMPLES));
  // Written so that NaN fails.
  if (Math.abs(given - expected) <= tolerance) return;
  const message = `Silero (${engine.kind}) failed its self-test: frame ${frame} gave ${given}, not ${expected}`;
  throw new DikteraError('engine-failed', message);
}
