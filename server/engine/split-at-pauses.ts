import { msToSamples, type SampleRange } from '../../src/core/audio/audio-format.ts';
import { framePowers, POWER_FRAME_SAMPLES } from './frame-power.ts';

/** Between which lengths a cut is looked for. */
export type PieceLengths = { readonly minPieceMs: number; readonly maxPieceMs: number };

/** A cut needs this much quiet around it, or it goes through a word. */
const PAUSE_FRAMES = msToSamples(200) / POWER_FRAME_SAMPLES;

/** Cuts `samples` at its quietest places into pieces, in order, without a gap. */
export function splitAtPauses(
  samples: Float32Array,
  { minPieceMs, maxPieceMs }: PieceLengths,
): SampleRange[] {
  const minFrames = msToSamples(minPieceMs) / POWER_FRAME_SAMPLES;
  const maxFrames = msToSamples(maxPieceMs) / POWER_FRAME_SAMPLES;
  const powers = framePowers(samples);
  const pieces: SampleRange[] = [];
  let startFrame = 0;
  while (samples.length > (startFrame + maxFrames) * POWER_FRAME_SAMPLES) {
    const endFrame = quietestFrame(powers, startFrame + minFrames, startFrame + maxFrames);
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
