import { toPcm16Value } from '../src/core/audio/pcm16.ts';

/** The latest audio of a recording as 16-bit PCM, by the index of its samples. */
export type SampleRing = ReturnType<typeof createSampleRing>;

/**
 * A ring that holds `capacitySamples`, begins at `startSample`, and allocates nothing after it has
 * been made.
 */
export function createSampleRing(capacitySamples: number, startSample = 0) {
  const kept = new Int16Array(capacitySamples);
  let position = startSample;

  return {
    /** Adds the first `count` of `samples`, from -1 to 1; the oldest go to make room. */
    push(samples: Float32Array, count: number) {
      // Not `set`, which would need a view, and so make garbage, for each block.
      let at = position % capacitySamples;
      for (let i = 0; i < count; i++) {
        kept[at] = toPcm16Value(samples[i] ?? 0);
        at = at + 1 === capacitySamples ? 0 : at + 1;
      }
      position += count;
    },
    /** Fills `into` with what begins at `startSample`: all of it must lie between the two ends. */
    read(startSample: number, into: Int16Array) {
      let at = startSample % capacitySamples;
      for (let i = 0; i < into.length; i++) {
        into[i] = kept[at] ?? 0;
        at = at + 1 === capacitySamples ? 0 : at + 1;
      }
    },
    /** The index of the oldest sample kept. */
    get oldestSample(): number {
      return Math.max(startSample, position - capacitySamples);
    },
    /** The index of the next sample. */
    get positionSamples(): number {
      return position;
    },
  };
}
