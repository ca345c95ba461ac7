import { FRAME_SAMPLES, SAMPLE_RATE_HZ } from './audio-format.ts';
import { SILENCE_DBFS } from './level.ts';

/** What a telephone's 8 kHz cannot carry, with room for the slope of whoever resampled it. */
export const HIGH_BAND_FROM_HZ = 5_000;

/** Butterworth of order 8, as four sections: 44 dB down at a telephone's 3.4 kHz. */
const SECTION_QUALITIES = [0.5098, 0.6013, 0.9, 2.5629];
/** Below this a filter that rings out would reach numbers that processors are slow with. */
const RUNG_OUT = 1e-30;
/** Above this (or NaN) a sample was broken, which must not be heard for ever. */
const BROKEN = 1e6;

/** Measures how loud the part of a stream is that lies above `HIGH_BAND_FROM_HZ`. */
export type HighBandMeter = {
  /** The next frame's level there (RMS), in dBFS; -100 is silence. Allocates nothing. */
  measure(frame: Float32Array): number;
};

/** A meter that hears its stream from here on. A broken frame (NaN) counts as silence. */
export function createHighBandMeter(): HighBandMeter {
  const sections = SECTION_QUALITIES.map(createHighPass);
  const scratch = new Float64Array(FRAME_SAMPLES);
  return {
    measure(frame) {
      const count = Math.min(frame.length, FRAME_SAMPLES);
      for (let i = 0; i < count; i++) scratch[i] = frame[i] ?? 0;
      for (const section of sections) section.filter(scratch, count);
      let sumOfSquares = 0;
      for (let i = 0; i < count; i++) sumOfSquares += (scratch[i] ?? 0) ** 2;
      const meanSquare = sumOfSquares / count;
      if (!(meanSquare > 0 && meanSquare < BROKEN)) return SILENCE_DBFS;
      return Math.max(SILENCE_DBFS, 10 * Math.log10(meanSquare));
    },
  };
}

/** A second-order high-pass (bilinear transform), in transposed direct form II. */
function createHighPass(quality: number) {
  const angle = (2 * Math.PI * HIGH_BAND_FROM_HZ) / SAMPLE_RATE_HZ;
  const alpha = Math.sin(angle) / (2 * quality);
  const scale = 1 / (1 + alpha);
  const b0 = ((1 + Math.cos(angle)) / 2) * scale;
  const b1 = -2 * b0;
  const a1 = -2 * Math.cos(angle) * scale;
  const a2 = (1 - alpha) * scale;
  let first = 0;
  let second = 0;
  return {
    /** In place; goes on where the frame before ended. */
    filter(samples: Float64Array, count: number): void {
      let one = first;
      let two = second;
      for (let i = 0; i < count; i++) {
        const sample = samples[i] ?? 0;
        const out = b0 * sample + one;
        one = b1 * sample - a1 * out + two;
        two = b0 * sample - a2 * out;
        samples[i] = out;
      }
      first = kept(one);
      second = kept(two);
    },
  };
}

function kept(value: number): number {
  const size = Math.abs(value);
  return size > RUNG_OUT && size < BROKEN ? value : 0;
}
