import { expect, test } from 'vitest';
import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import {
  createTestClip,
  SELF_TEST_FRAMES,
  selfTest,
  TEST_CLIP_FRAMES,
} from '../../workers/audio/self-test.ts';
import { createFakeSpeechEngine } from '../helpers/fake-speech-engine.ts';

test('an engine that gives what it should passes, and is reset before and after', async () => {
  const engine = createFakeSpeechEngine();
  await selfTest(engine, 1e-3);
  const inferred = Array(SELF_TEST_FRAMES).fill('infer');
  expect(engine.calls).toEqual(['reset', ...inferred, 'reset', 'infer', 'reset']);
});

test.each<[string, (right: number, frame: number) => number | Promise<number>, number]>([
  ['later', (right) => Promise.resolve(right), 1e-3],
  ['within the tolerance', (right) => right + 0.0009, 1e-3],
  ['within a wider one', (right) => right - 0.009, 1e-2],
])('%s passes', async (_what, answer, tolerance) => {
  await selfTest(createFakeSpeechEngine('kernel', answer), tolerance);
});

test.each<[string, (right: number, frame: number) => number, string]>([
  ['always 1', () => 1, 'frame 0 gave 1, not 0.012087'],
  ['always 0', () => 0, 'frame 0 gave 0, not 0.012087'],
  ['NaN', () => Number.NaN, 'frame 0 gave NaN, not 0.012087'],
  ['one frame off', (right, frame) => (frame === 3 ? right - 0.002 : right), 'frame 3 gave'],
])('%s fails', async (_what, answer, words) => {
  const engine = createFakeSpeechEngine('kernel', answer);
  const failure = selfTest(engine, 1e-3);
  await expect(failure).rejects.toMatchObject({ code: 'engine-failed' });
  await expect(failure).rejects.toThrow(`Silero (kernel) failed its self-test: ${words}`);
  expect(engine.calls.at(-1)).toBe('reset');
});

test('the clip is the same every time: faint noise, then a voice well below full scale', () => {
  const clip = createTestClip();
  expect(clip).toEqual(createTestClip());
  expect(clip).toHaveLength(TEST_CLIP_FRAMES * FRAME_SAMPLES);
  const peak = (from: number, to: number) => Math.max(...clip.subarray(from, to).map(Math.abs));
  expect(peak(0, FRAME_SAMPLES)).toBeLessThan(0.001);
  expect(peak(FRAME_SAMPLES, clip.length)).toBeCloseTo(0.2, 1);
});
