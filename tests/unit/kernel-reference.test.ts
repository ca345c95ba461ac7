import { describe, expect, test } from 'vitest';
import {
  CONTEXT_SAMPLES,
  FRAME_SAMPLES,
  WINDOW_SAMPLES,
} from '../../src/core/audio/audio-format.ts';
import type { BareEngine } from '../../src/core/speech/speech-engine.ts';
import { buildKernel } from '../../tools/build-kernel.ts';
import { readVerifiedModel } from '../../tools/model-assets.ts';
import { extractSilero } from '../../tools/onnx/silero.ts';
import { createKernelEngine } from '../../workers/audio/kernel-engine.ts';
import { createTestClip } from '../../workers/audio/self-test.ts';
import { referenceModel } from '../helpers/silero-reference.ts';

/** The clip's frame of noise and the voice's first two. */
const AUDIO = createTestClip().subarray(0, 3 * FRAME_SAMPLES);

async function startKernel() {
  const module = new WebAssembly.Module(Uint8Array.from(await buildKernel({ bits: 32 })));
  return createKernelEngine(module);
}

// Against plain loops of doubles, which take no short cut: no FFT, no Winograd, no step left out.
describe('the kernel and the same network written out', () => {
  // A cold start compiles the kernel.
  test('agree', { timeout: 60_000 }, async () => {
    const kernel = await startKernel();
    const reference = referenceModel(extractSilero(readVerifiedModel()));
    const window = new Float32Array(CONTEXT_SAMPLES + WINDOW_SAMPLES);
    for (let start = 0; start < AUDIO.length; start += FRAME_SAMPLES) {
      kernel.infer(AUDIO.subarray(start, start + FRAME_SAMPLES));
      for (const [i, probability] of kernel.probabilities().entries()) {
        const from = start + i * WINDOW_SAMPLES;
        window.copyWithin(0, WINDOW_SAMPLES);
        window.set(AUDIO.subarray(from, from + WINDOW_SAMPLES), CONTEXT_SAMPLES);
        expect(Math.abs(probability - reference.infer(window))).toBeLessThan(2e-5);
      }
    }
  });
});

test('two that hear with one kernel do not hear each other', async () => {
  const frames = [0, 1, 2].map((n) => AUDIO.subarray(n * FRAME_SAMPLES, (n + 1) * FRAME_SAMPLES));
  const backwards = frames.toReversed();
  const alone = await startKernel();
  const hear = (each: Float32Array) => alone.infer(each);
  const expected = frames.map(hear);
  alone.reset();
  const expectedBackwards = backwards.map(hear);

  const carried = await startKernel();
  const twin = carried.twin();
  const given = frames.map((frame, n) => [carried.infer(frame), twin.infer(backwards[n]!)]);
  expect(given).toEqual(expected.map((each, n) => [each, expectedBackwards[n]]));
  // One that forgets leaves the other as it was.
  twin.reset();
  expect(carried.infer(frames[0]!)).not.toBe(expected[0]);
  expect(backwards.map((frame) => twin.infer(frame))).toEqual(expectedBackwards);
  expect(() => (twin as BareEngine).twin()).toThrow('no more');
});
