import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import type { KernelExports } from '../../workers/audio/kernel-engine.ts';
import { createTestClip, SELF_TEST_PROBABILITIES } from '../../workers/audio/self-test.ts';
import { fetchKernel } from '../helpers/fetch-kernel.ts';
import { startKernelWorker } from '../helpers/kernel-worker.ts';

const CLIP = createTestClip();

function largestDifference(a: readonly number[], b: readonly number[]): number {
  expect(a).toHaveLength(b.length);
  return a.reduce((largest, value, i) => Math.max(largest, Math.abs(value - b[i]!)), 0);
}

describe('the kernel in a worker', () => {
  const { bench, stop } = startKernelWorker();
  beforeAll(async () => {
    const file = await fetchKernel({ bits: 16 });
    expect(await bench.loadKernel(file)).toBeNull();
  });
  afterAll(stop);

  test('has 2 MB of memory at most, and the same after it has worked', async () => {
    const file = await fetchKernel({ bits: 16 });
    const { instance } = await WebAssembly.instantiate(file);
    const { memory, reset, infer } = instance.exports as unknown as KernelExports;
    const bytes = memory.buffer.byteLength;
    expect(bytes).toBeLessThanOrEqual(2 * 2 ** 20);
    reset(0);
    for (let frame = 0; frame < 100; frame += 1) infer(0);
    expect(memory.buffer.byteLength).toBe(bytes);
  });

  test('gives what the self-test expects', async () => {
    await bench.reset();
    const given = await bench.inferFrames(CLIP);
    expect(largestDifference(given, SELF_TEST_PROBABILITIES)).toBeLessThan(5e-3);
  });

  test("a frame's answer is the largest of its windows'", async () => {
    await bench.reset();
    const frames = await bench.inferFrames(CLIP);
    await bench.reset();
    const all = await bench.inferKernel(CLIP);
    const perFrame = all.length / frames.length;
    expect(perFrame).toBe(3);
    frames.forEach((frame, i) => {
      expect(frame).toBe(Math.max(...all.slice(i * perFrame, (i + 1) * perFrame)));
    });
  });

  test('carries its state on until it is reset', async () => {
    await bench.reset();
    const first = await bench.inferKernel(CLIP);
    expect(largestDifference(await bench.inferKernel(CLIP), first)).toBeGreaterThan(0.01);
    await bench.reset();
    expect(await bench.inferKernel(CLIP)).toEqual(first);
  });

  test('two engines in one worker do not know of one another', async () => {
    await bench.reset();
    const alone = await bench.inferKernel(CLIP);
    await bench.reset();
    const [start, rest] = [CLIP.slice(0, 5 * FRAME_SAMPLES), CLIP.slice(5 * FRAME_SAMPLES)];
    const before = await bench.inferKernel(start);
    expect(await bench.loadThroughFactory()).toBeNull();
    expect([...before, ...(await bench.inferKernel(rest))]).toEqual(alone);
  });

  test.each([
    ['NaN', Number.NaN],
    ['infinite', Number.POSITIVE_INFINITY],
    ['infinite, downwards', Number.NEGATIVE_INFINITY],
    ['absurd', -3e38],
    ['beyond a thousand times full scale', 1_001],
  ])('%s samples are silence and poison nothing', async (_what, sample) => {
    const bad = CLIP.slice();
    const clean = CLIP.slice();
    for (let n = 100; n < bad.length; n += 700) {
      bad[n] = sample;
      clean[n] = 0;
    }
    await bench.reset();
    const given = await bench.inferKernel(bad);
    await bench.reset();
    expect(given).toEqual(await bench.inferKernel(clean));
  });

  test('whole frames of NaN are whole frames of silence', async () => {
    const filled = (sample: number) => new Float32Array(4 * FRAME_SAMPLES).fill(sample);
    await bench.reset();
    const given = [
      ...(await bench.inferKernel(filled(Number.NaN))),
      ...(await bench.inferKernel(CLIP)),
    ];
    await bench.reset();
    const quiet = [...(await bench.inferKernel(filled(0))), ...(await bench.inferKernel(CLIP))];
    expect(given).toEqual(quiet);
  });

  test('the loudest it takes leaves it sound', async () => {
    await bench.reset();
    const fresh = await bench.inferKernel(CLIP);
    const square = Float32Array.from({ length: 20 * FRAME_SAMPLES }, (_, n) =>
      n % 64 < 32 ? 1_000 : -1_000,
    );
    for (const p of [...(await bench.inferKernel(square)), ...(await bench.inferKernel(CLIP))]) {
      expect(p >= 0 && p <= 1).toBe(true);
    }
    await bench.reset();
    expect(await bench.inferKernel(CLIP)).toEqual(fresh);
  });

  test('a short frame is one that ends in silence; one that is too long is refused', async () => {
    const voice = CLIP.slice(5 * FRAME_SAMPLES, 6 * FRAME_SAMPLES);
    await bench.reset();
    const given = await bench.inferKernel(voice.slice(0, 1_000));
    await bench.reset();
    expect(given).toEqual(await bench.inferKernel(voice.slice().fill(0, 1_000)));
    await bench.reset();
    const before = await bench.inferFrames(voice);
    await bench.reset();
    expect(await bench.inferFails(new Float32Array(FRAME_SAMPLES + 1))).toEqual({
      code: 'engine-failed',
      message: 'A frame holds at most 1536 samples, not 1537',
    });
    expect(await bench.inferFrames(voice)).toEqual(before);
  });

  test('disposed of, twice, it infers no more, and can still be reset', async () => {
    await bench.dispose();
    await bench.dispose();
    await bench.reset();
    expect(await bench.inferFails(new Float32Array(FRAME_SAMPLES))).toMatchObject({
      code: 'engine-failed',
    });
  });
});

describe('a file that is not what it should be', () => {
  const { bench, stop } = startKernelWorker();
  afterAll(stop);
  let right = new ArrayBuffer();
  beforeAll(async () => {
    right = await fetchKernel({ bits: 16 });
  });

  const changed = (change: (bytes: Uint8Array<ArrayBuffer>) => void): ArrayBuffer => {
    const bytes = new Uint8Array(right.slice());
    change(bytes);
    return bytes.buffer;
  };
  const NAME = 'diktera.weights';
  const sectionAt = (): number =>
    new TextDecoder('latin1').decode(right).indexOf(NAME) + NAME.length;

  test('as it is, it is right', async () => {
    expect(await bench.loadKernel(changed(() => undefined))).toBeNull();
  });

  /** Changes bits of the byte so far behind the section's name; negative: from the file's end. */
  const flip = (at: number, bits: number) => (bytes: Uint8Array) => {
    const place = at < 0 ? bytes.length + at : sectionAt() + at;
    bytes.set([bytes[place]! ^ bits], place);
  };

  test.each([
    ['a bit changed in the last weight', flip(-1, 1), 'damaged'],
    ['a bit changed in the first bias', flip(20, 128), 'damaged'],
    ['another checksum', flip(16, 1), 'damaged'],
    ['another format', flip(0, 1), 'another format'],
    ['more weights than there are', flip(8, 16), 'the header says otherwise'],
    ['48 bits a weight', flip(4, 32), 'the header says otherwise'],
    [
      'weights under another name',
      (bytes: Uint8Array) => bytes.fill(0x78, sectionAt() - 1, sectionAt()),
      'sections of weights',
    ],
    [
      'two weights that have changed places',
      (bytes: Uint8Array) => bytes.copyWithin(bytes.length - 8, bytes.length - 4),
      'damaged',
    ],
  ])('%s', async (_what, change, words) => {
    const error = await bench.loadKernel(changed(change));
    expect(error?.code).toBe('asset-wrong');
    expect(error?.message).toContain(words);
  });

  test.each([
    ['missing', 'asset-unreachable', '404'],
    ['html', 'asset-wrong', 'it is an HTML page'],
    ['truncated', 'asset-wrong', 'silero-v6'],
    ['flipped', 'asset-wrong', 'its weights are damaged'],
  ] as const)('over the network, %s: %s', async (fault, code, words) => {
    const error = await bench.loadThroughFactory(fault);
    expect(error?.code).toBe(code);
    expect(error?.message).toContain(words);
  });

  test('a spoilt copy in the cache is fetched again', async () => {
    expect(await bench.loadThroughFactory('flipped', true)).toBeNull();
  });

  test('as it is built and served it passes', async () => {
    expect(await bench.loadThroughFactory()).toBeNull();
  });
});
