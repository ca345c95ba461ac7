import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import { rangeSamples, type SampleRange } from '../../src/core/audio/sample-range.ts';
import { MAX_RECORD_SAMPLES } from './join-frames.ts';

/**
 * About 8 s of silence are deleted at a time: often enough for the disk, rare enough to be cheap.
 */
const SAMPLES_PER_ERASURE = 84 * FRAME_SAMPLES;

/** Gathers the silence of one session until there is enough of it to be worth deleting. */
export type SilenceDrops = {
  /** Adds a range; gives the ranges to delete now, usually none. */
  add(range: SampleRange): readonly SampleRange[];
  /** All that is gathered and not yet given. */
  takeAll(): readonly SampleRange[];
};

/** Makes an empty one. Ranges come in the order of time and may touch or overlap. */
export function createSilenceDrops(): SilenceDrops {
  let gathered: SampleRange[] = [];
  let gatheredSamples = 0;
  let lastGiven: SampleRange | undefined;

  function takeAll(): readonly SampleRange[] {
    const taken = gathered;
    lastGiven = taken.at(-1) ?? lastGiven;
    gathered = [];
    gatheredSamples = 0;
    return taken;
  }

  return {
    takeAll,
    add(range) {
      if (rangeSamples(range) <= 0) return [];
      gatheredSamples += rangeSamples(range);
      const last = gathered.at(-1);
      if (last && range.startSample <= last.endSample) {
        gathered[gathered.length - 1] = {
          startSample: Math.min(last.startSample, range.startSample),
          endSample: Math.max(last.endSample, range.endSample),
        };
      } else if (lastGiven && range.startSample <= lastGiven.endSample) {
        // A record that lies over the seam was not wholly inside what was deleted.
        const startSample = Math.min(range.startSample, lastGiven.endSample - MAX_RECORD_SAMPLES);
        gathered.push({
          startSample: Math.max(lastGiven.startSample, startSample),
          endSample: range.endSample,
        });
      } else {
        gathered.push(range);
      }
      return gatheredSamples < SAMPLES_PER_ERASURE ? [] : takeAll();
    },
  };
}
