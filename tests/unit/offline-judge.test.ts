import { expect, test } from 'vitest';
import { FRAME_SAMPLES } from '../../src/core/audio-format.ts';
import type { KernelEngine } from '../../workers/kernel/kernel-engine.ts';
import { encodeSlice } from '../../workers/offline/encode-slice.ts';
import { type Encoder, judgeOffline } from '../../workers/offline/offline-judge.ts';

/** Stands for the kernel: a feature is the frame's first sample, the answer is how many frames came before. */
function countingKernel(): KernelEngine {
  let decided = 0;
  return {
    featureCount: 1,
    encode: (frame: Float32Array) => frame.slice(0, 1),
    decide: (features: Float32Array) => (features[0] === decided ? decided++ : Number.NaN),
    reset: () => {
      decided = 0;
    },
  } as unknown as KernelEngine;
}

/** Each frame's first sample is its number. */
function numberedFrames(count: number): Float32Array {
  const samples = new Float32Array(count * FRAME_SAMPLES);
  for (let i = 0; i < count; i++) samples[i * FRAME_SAMPLES] = i;
  return samples;
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
const kernels = () => ({ encoder: countingKernel(), decider: countingKernel(), nextTurn });

test('helpers that answer late and out of order still give every frame once, in order', async () => {
  let waiting = 0;
  const slow: Encoder = {
    async encode(slice) {
      waiting = (waiting + 3) % 7;
      for (let i = 0; i < waiting; i++) await nextTurn();
      return encodeSlice(countingKernel(), slice);
    },
  };
  const given = await judgeOffline(numberedFrames(203), { ...kernels(), helpers: [slow, slow] });
  expect([...given]).toEqual(Array.from({ length: 203 }, (_, i) => i));
});

test('a helper that fails is told, whenever it does', async () => {
  let calls = 0;
  const failing: Encoder = {
    async encode(slice) {
      calls += 1;
      await nextTurn();
      if (calls > 4) throw new Error('gone');
      return encodeSlice(countingKernel(), slice);
    },
  };
  const judged = judgeOffline(numberedFrames(400), { ...kernels(), helpers: [failing] });
  await expect(judged).rejects.toThrow('gone');
});
