import { msToSamples } from '../../src/core/audio/audio-format.ts';
import type { SampleRange } from '../../src/core/audio/sample-range.ts';
import { framePowers, POWER_FRAME_SAMPLES } from './frame-power.ts';

/**
 * Moonshine was trained on short utterances: fed with much more than 14 s at once it repeats itself
 * without end. Below 6 s it has too little context to punctuate well.
 */
const MIN_PIECE_FRAMES = msToSamples(6_000) / POWER_FRAME_SAMPLES;
const MAX_PIECE_FRAMES = msToSamples(14_000) / POWER_FRAME_SAMPLES;

/** A cut needs this much quiet around it, or it goes through a word. */
const PAUSE_FRAMES = msToSamples(200) / POWER_FRAME_SAMPLES;

/** Cuts `samples` at its quietest places into pieces of at most 14 s, in order, without a gap. */
export function splitAtPauses(samples: Float32Array): SampleRange[] {
  const powers = framePowers(samples);
  const pieces: SampleRange[] = [];
  let startFrame = 0;
  while (samples.length > (startFrame + MAX_PIECE_FRAMES) * POWER_FRAME_SAMPLES) {
    const endFrame = quietestFrame(
      powers,
      startFrame + MIN_PIECE_FRAMES,
      startFrame + MAX_PIECE_FRAMES,
    );
    pieces.push(rangeOf(startFrame, endFrame, samples.length));
    startFrame = endFrame;
  }
  if (samples.length > 0) pieces.push(rangeOf(startFrame, powers.length, samples.length));
  return pieces;
}

/** The middle of the 200 ms with the least power within `[from, to]`; the latest of equals. */
function quietestFrame(powers: Float64Array, from: number, to: number): number {
  let quietest = from;
  let leastPower = Number.POSITIVE_INFINITY;
  for (let start = from; start + PAUSE_FRAMES <= to; start++) {
    let power = 0;
    for (let frame = start; frame < start + PAUSE_FRAMES; frame++) power += powers[frame] ?? 0;
    if (power > leastPower) continue;
    leastPower = power;
    quietest = start + PAUSE_FRAMES / 2;
  }
  return quietest;
}

function rangeOf(startFrame: number, endFrame: number, totalSamples: number): SampleRange {
  return {
    startSample: startFrame * POWER_FRAME_SAMPLES,
    endSample: Math.min(endFrame * POWER_FRAME_SAMPLES, totalSamples),
  };
}
