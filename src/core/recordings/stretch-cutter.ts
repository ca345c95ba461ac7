import { msToSamples } from '../audio/audio-format.ts';
import { findQuietPoint } from '../audio/quiet-point.ts';
import { concatPcm16, samplesOf } from '../audio/samples.ts';

/** Raw sound of a recording that is encoded at once: it begins and ends where it is quiet. */
export type RawStretch = { readonly startSample: number; readonly samples: Float32Array };

/** Cuts a recording into stretches, whatever is said in it. */
export type StretchCutter = ReturnType<typeof createStretchCutter>;

/** A stretch is also what is sent at once when a recording is written down again. */
export const MAX_STRETCH_SAMPLES = msToSamples(60_000);

/** The end of a full stretch lies in the quietest 200 ms of its last 20 s. */
const SEARCHED_SAMPLES = msToSamples(20_000);
const QUIET_SAMPLES = msToSamples(200);

/** A whole number of the codec's packets: the next stretch's first one joins it without a gap. */
const PACKET_SAMPLES = msToSamples(40);

/** Makes a cutter for a recording; nothing before `fromSample` is wanted. */
export function createStretchCutter(fromSample = 0) {
  let pieces: Int16Array[] = [];
  let startSample = fromSample;
  let endSample = fromSample;

  function flush(): RawStretch | null {
    if (endSample === startSample) return null;
    const stretch = { startSample, samples: samplesOf(pieces) };
    pieces = [];
    startSample = endSample;
    return stretch;
  }

  function cutFull(): RawStretch {
    const pcm = concatPcm16(pieces);
    const latest = Math.min(pcm.length, MAX_STRETCH_SAMPLES);
    const earliest = latest - SEARCHED_SAMPLES;
    const searched = samplesOf([pcm.subarray(earliest, latest)]);
    const quiet = earliest + findQuietPoint(searched, 0, searched.length, QUIET_SAMPLES);
    const length = quiet - (quiet % PACKET_SAMPLES);
    const stretch = { startSample, samples: samplesOf([pcm.subarray(0, length)]) };
    pieces = [pcm.slice(length)];
    startSample += length;
    return stretch;
  }

  return {
    /**
     * Takes 16-bit PCM in the order of time, and keeps it: it must not be written to again. What was
     * taken before is left out; what is missing before it ends a stretch. Gives what is to be encoded
     * now, usually nothing.
     */
    take(atSample: number, pcm: Int16Array): readonly RawStretch[] {
      const stretches: RawStretch[] = [];
      const wanted = pcm.subarray(Math.max(0, endSample - atSample));
      if (wanted.length === 0) return stretches;
      if (atSample > endSample) {
        const before = flush();
        if (before) stretches.push(before);
        startSample = atSample;
      }
      pieces.push(wanted);
      endSample = atSample + pcm.length;
      while (endSample - startSample >= MAX_STRETCH_SAMPLES) stretches.push(cutFull());
      return stretches;
    },
    /** All that is left; null if nothing is. */
    flush,
  };
}
