import { FRAME_SAMPLES } from '../../src/core/audio-format.ts';
import type { KernelEngine } from '../kernel/kernel-engine.ts';

/** Whole frames, and the frame before them where there is one: it holds what the model wants of the past. */
export type Slice = {
  readonly before: Float32Array | null;
  readonly samples: Float32Array;
};

/** What is in front of the LSTM, for each frame of a slice: the frames' features, one behind the other. */
export function encodeSlice(
  kernel: KernelEngine,
  { before, samples }: Slice,
): Float32Array<ArrayBuffer> {
  const frames = samples.length / FRAME_SAMPLES;
  const features = new Float32Array(frames * kernel.featureCount);
  kernel.reset();
  if (before) kernel.encode(before);
  for (let i = 0; i < frames; i++) {
    const frame = samples.subarray(i * FRAME_SAMPLES, (i + 1) * FRAME_SAMPLES);
    features.set(kernel.encode(frame), i * kernel.featureCount);
  }
  return features;
}
