/** Taps on each side: the slope is some 200 Hz wide at 16 kHz. */
const HALF_TAPS = 200;

/** The part of a sound that a resampler to a lower rate keeps: a windowed sinc (Blackman). */
export function lowPass(samples: Float32Array, cutOffHz: number, rateHz = 16_000): Float32Array {
  const cycles = (2 * cutOffHz) / rateHz;
  const taps = Float64Array.from({ length: 2 * HALF_TAPS + 1 }, (_, index) => {
    const at = (Math.PI * (index - HALF_TAPS)) / HALF_TAPS;
    const window = 0.42 + 0.5 * Math.cos(at) + 0.08 * Math.cos(2 * at);
    const offset = Math.PI * (index - HALF_TAPS);
    return window * (offset === 0 ? cycles : Math.sin(cycles * offset) / offset);
  });
  return samples.map((_, at) => {
    let sum = 0;
    for (let tap = 0; tap < taps.length; tap += 1) {
      sum += taps[tap]! * (samples[at + tap - HALF_TAPS] ?? 0);
    }
    return sum;
  });
}
