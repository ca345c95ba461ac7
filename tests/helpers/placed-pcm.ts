import { rangeSamples, type SampleRange } from '../../src/core/audio/audio-format.ts';
import { samplesOf } from '../../src/core/audio/samples.ts';

/**
 * Samples `startSample` to `startSample + length` of noise in which no part is like another: a
 * sample lost, doubled or misplaced is seen.
 */
export function placedPcm(startSample: number, length: number): Int16Array {
  const pcm = new Int16Array(length);
  for (let index = 0; index < length; index += 1) {
    pcm[index] = Math.imul(startSample + index, 0x9e37_79b1) >> 16;
  }
  return pcm;
}

/** The same for ranges, one after the other, as samples from -1 to 1. */
export function placedAudio(ranges: readonly SampleRange[]): Float32Array {
  return samplesOf(ranges.map((range) => placedPcm(range.startSample, rangeSamples(range))));
}
