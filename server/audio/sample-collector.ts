import { samplesToMs } from '../../src/core/audio/audio-format.ts';
import { ApiError } from '../core/api-error.ts';

/** Gathers 16 kHz samples up to a limit. */
export type SampleCollector = ReturnType<typeof createSampleCollector>;

const FIRST_CAPACITY = 1 << 18;

/**
 * Makes a collector of at most `maxSamples`; its memory grows with what comes in. `onProgress` is
 * told its length after each block.
 */
export function createSampleCollector(
  maxSamples: number,
  onProgress: (samples: number) => void = () => undefined,
) {
  let store = new Float32Array(Math.min(FIRST_CAPACITY, maxSamples));
  let length = 0;

  function makeRoom(needed: number): void {
    if (needed > maxSamples) {
      const seconds = Math.floor(samplesToMs(maxSamples) / 1_000);
      throw new ApiError(413, 'audio_too_long', `The audio is longer than ${seconds} s.`);
    }
    if (needed <= store.length) return;
    const grown = new Float32Array(Math.min(maxSamples, Math.max(needed, store.length * 2)));
    grown.set(store.subarray(0, length));
    store = grown;
  }

  return {
    /** Adds a copy of `samples`, made finite and clamped to -1..1. Throws `audio_too_long`. */
    add(samples: Float32Array) {
      makeRoom(length + samples.length);
      for (const sample of samples) {
        // Float WAVs may hold anything; one NaN would silence the whole utterance.
        store[length++] = Number.isFinite(sample) ? Math.max(-1, Math.min(1, sample)) : 0;
      }
      onProgress(length);
    },
    get length(): number {
      return length;
    },
    /** Everything added, in order. */
    finish: (): Float32Array => store.subarray(0, length),
  };
}
