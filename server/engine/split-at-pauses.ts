import { msToSamples } from '../../src/core/audio-format.ts';
import type { SampleRange } from '../../src/core/sample-range.ts';

/**
 * Moonshine was trained on short utterances: fed with much more than 14 s at once it repeats itself
 * without end. Below 6 s it has too little context to punctuate well.
 */
const MIN_PIECE_SAMPLES = msToSamples(6_000);
const MAX_PIECE_SAMPLES = msToSamples(14_000);

/** A cut needs this much quiet around it, or it goes through a word. */
const PAUSE_SAMPLES = msToSamples(200);
const STEP_SAMPLES = msToSamples(20);

/** Cuts `samples` into pieces of at most 14 s, in order and without a gap, at its quietest places. */
export function splitAtPauses(samples: Float32Array): SampleRange[] {
  const pieces: SampleRange[] = [];
  let startSample = 0;
  while (samples.length - startSample > MAX_PIECE_SAMPLES) {
    const endSample = quietestPlace(
      samples,
      startSample + MIN_PIECE_SAMPLES,
      startSample + MAX_PIECE_SAMPLES,
    );
    pieces.push({ startSample, endSample });
    startSample = endSample;
  }
  if (startSample < samples.length) pieces.push({ startSample, endSample: samples.length });
  return pieces;
}

/** The middle of the 200 ms with the least energy within `[from, to]`; the latest of equals. */
function quietestPlace(samples: Float32Array, from: number, to: number): number {
  let quietest = from;
  let leastEnergy = Number.POSITIVE_INFINITY;
  for (let start = from; start + PAUSE_SAMPLES <= to; start += STEP_SAMPLES) {
    const energy = energyOf(samples, start, start + PAUSE_SAMPLES);
    if (energy > leastEnergy) continue;
    leastEnergy = energy;
    quietest = start + PAUSE_SAMPLES / 2;
  }
  return quietest;
}

function energyOf(samples: Float32Array, from: number, to: number): number {
  let sum = 0;
  for (let index = from; index < to; index++) sum += (samples[index] ?? 0) ** 2;
  return sum;
}
