import { makeSamples } from './make-samples.ts';

/** A sine of amplitude 1 that starts at phase 0. */
export function tone(frequencyHz: number, rateHz: number, samples: number): Float32Array {
  const step = (2 * Math.PI * frequencyHz) / rateHz;
  return makeSamples(samples, (i) => Math.sin(step * i));
}

/** Amplitude and phase of one frequency in `samples`, by projection; give it whole periods. */
export function measureTone(
  samples: Float32Array,
  frequencyHz: number,
  rateHz: number,
): { amplitude: number; phaseSamples: number } {
  const step = (2 * Math.PI * frequencyHz) / rateHz;
  let sine = 0;
  let cosine = 0;
  for (let i = 0; i < samples.length; i++) {
    sine += samples[i]! * Math.sin(step * i);
    cosine += samples[i]! * Math.cos(step * i);
  }
  const amplitude = (2 * Math.hypot(sine, cosine)) / samples.length;
  return { amplitude, phaseSamples: Math.atan2(cosine, sine) / step };
}

/** A ratio of amplitudes in dB. */
export function toDb(ratio: number): number {
  return 20 * Math.log10(ratio);
}
