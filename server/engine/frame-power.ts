import { msToSamples } from '../../src/core/audio/audio-format.ts';

/** The grain at which loud and quiet are told apart: 20 ms, about a glottal period or two. */
export const POWER_FRAME_SAMPLES = msToSamples(20);

/** The mean power of each 20 ms of `samples`, full scale being 1; the last frame may be shorter. */
export function framePowers(samples: Float32Array): Float64Array {
  const powers = new Float64Array(Math.ceil(samples.length / POWER_FRAME_SAMPLES));
  for (let index = 0; index < powers.length; index++) {
    const start = index * POWER_FRAME_SAMPLES;
    const end = Math.min(start + POWER_FRAME_SAMPLES, samples.length);
    let sum = 0;
    for (let at = start; at < end; at++) sum += (samples[at] ?? 0) ** 2;
    powers[index] = sum / (end - start);
  }
  return powers;
}
