import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import { createTestClip, SELF_TEST_PROBABILITIES } from '../../workers/audio/self-test.ts';
import { startVadWorker } from '../helpers/vad-worker.ts';
import { createVariedAudio } from '../helpers/varied-audio.ts';

const AUDIO = createVariedAudio();

function largestDifference(a: readonly number[], b: readonly number[]): number {
  expect(a).toHaveLength(b.length);
  return a.reduce((largest, value, i) => Math.max(largest, Math.abs(value - b[i]!)), 0);
}

describe('Silero in a worker', () => {
  const { vad, stop } = startVadWorker();
  beforeAll(async () => {
    expect(await vad.load()).toBeNull();
  });
  afterAll(stop);

  test('agrees with onnxruntime fed one call after the other', async () => {
    await vad.reset();
    const given = await vad.inferAll(AUDIO);
    const raw = await vad.inferAllRaw(AUDIO);
    expect(largestDifference(given, raw)).toBeLessThan(1e-6);
    expect(Math.max(...given)).toBeGreaterThan(0.9);
    expect(Math.min(...given)).toBeLessThan(0.1);
  });

  test('gives what the self-test expects, which is speech', async () => {
    await vad.reset();
    const expected = SELF_TEST_PROBABILITIES;
    expect(largestDifference(await vad.inferAll(createTestClip()), expected)).toBeLessThan(1e-4);
    expect(Math.min(...expected.slice(2))).toBeGreaterThan(0.8);
    expect(expected[0]).toBeLessThan(0.1);
  });

  test('carries its state on until it is reset', async () => {
    const clip = createTestClip();
    await vad.reset();
    const first = await vad.inferAll(clip);
    expect(largestDifference(await vad.inferAll(clip), first)).toBeGreaterThan(0.01);
    await vad.reset();
    expect(await vad.inferAll(clip)).toEqual(first);
  });

  test.each([
    ['NaN', Number.NaN],
    ['infinite', Number.POSITIVE_INFINITY],
    ['absurd', -3e38],
  ])('%s samples are silence and poison nothing', async (_what, sample) => {
    const bad = createTestClip();
    const clean = bad.slice();
    for (let n = 100; n < bad.length; n += 700) {
      bad[n] = sample;
      clean[n] = 0;
    }
    await vad.reset();
    const given = await vad.inferAll(bad);
    await vad.reset();
    expect(given).toEqual(await vad.inferAll(clean));
  });

  test('a short frame is one that ends in silence; one that is too long is refused', async () => {
    const voice = createTestClip().subarray(5 * FRAME_SAMPLES, 6 * FRAME_SAMPLES);
    const padded = voice.slice().fill(0, 1_000);
    await vad.reset();
    const given = await vad.inferAll(voice.slice(0, 1_000));
    await vad.reset();
    expect(given).toEqual(await vad.inferAll(padded));
    expect(await vad.inferFails(new Float32Array(FRAME_SAMPLES + 1))).toEqual({
      code: 'engine-failed',
      message: 'A frame holds at most 1536 samples, not 1537',
    });
  });

  test('one frame at a time: a second one is refused and disturbs nothing', async () => {
    const frame = createTestClip().slice(5 * FRAME_SAMPLES, 6 * FRAME_SAMPLES);
    await vad.reset();
    const [alone] = await vad.inferAll(frame);
    await vad.reset();
    const { first, second } = await vad.overlap(frame, 'infer');
    expect(first).toBe(alone);
    expect(second).toMatchObject({ code: 'engine-failed' });
  });

  test('a reset in mid-frame takes place after it', async () => {
    const frame = createTestClip().slice(5 * FRAME_SAMPLES, 6 * FRAME_SAMPLES);
    await vad.reset();
    const { first } = await vad.overlap(frame, 'reset');
    expect(await vad.inferAll(frame)).toEqual([first]);
  });

  test('disposed of, twice, it infers no more', async () => {
    await vad.dispose();
    await vad.dispose();
    expect(await vad.inferFails(new Float32Array(FRAME_SAMPLES))).toMatchObject({
      code: 'engine-failed',
    });
  });
});

describe('the self-test', () => {
  const { vad, stop } = startVadWorker();
  afterAll(stop);

  test('the model run rightly passes', async () => {
    expect(await vad.selfTestOf('none', 1e-4)).toBeNull();
  });

  // At the kernel's tolerance, the wider one.
  test.each([
    'zero-context',
    'no-context',
    'context-lost-between-frames',
    'mean',
    'first-window',
    'no-state',
    'no-reset',
  ] as const)('%s fails', async (fault) => {
    const error = await vad.selfTestOf(fault, 1e-2);
    expect(error?.code).toBe('engine-failed');
    expect(error?.message).toMatch(/Silero .*failed its self-test: frame \d/);
  });

  test('a file cut short is not even opened', async () => {
    expect(await vad.openTruncated()).toMatchObject({ code: 'engine-failed' });
  });
});
