import { rangeSamples, type SampleRange } from '../../src/core/audio/audio-format.ts';
import { samplesOf } from '../../src/core/audio/samples.ts';

/**
 * What `length` samples from a place in a recording on sound like: noise by which each is known
 * again, so that one lost, doubled or misplaced is seen. No stretch of it is like another.
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
