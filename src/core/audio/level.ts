import { FRAME_SAMPLES, SAMPLE_RATE_HZ } from './audio-format.ts';

/** The level of digital zero, and the lowest there is, in dBFS. */
export const SILENCE_DBFS = -100;

/**
 * Loudness as root mean square in dB relative to full scale, -100 to 0 for samples in -1..1. A full
 * scale square wave is 0, a full-scale sine -3.01. No samples, or broken ones (NaN), are silence.
 */
export function rmsDbfs(samples: Float32Array): number {
  let sumOfSquares = 0;
  // By index: an iterator makes a number in memory of each sample, 0.4 MB of garbage a second. And
  // not `** 2`, which V8 calls a function for as long as it has not optimized this to the last.
  for (let at = 0; at < samples.length; at++) {
    const sample = samples[at] ?? 0;
    sumOfSquares += sample * sample;
  }
  const meanSquare = sumOfSquares / samples.length;
  if (!(meanSquare > 0)) return SILENCE_DBFS;
  return Math.max(SILENCE_DBFS, 10 * Math.log10(meanSquare));
}

/** The loudest sample in dB relative to full scale, -100 to 0 for samples in -1..1. */
export function peakDbfs(samples: Float32Array): number {
  let peak = 0;
  for (let at = 0; at < samples.length; at++) {
    const size = Math.abs(samples[at] ?? 0);
    if (size > peak) peak = size;
  }
  return peak > 0 ? Math.max(SILENCE_DBFS, 20 * Math.log10(peak)) : SILENCE_DBFS;
}

/** The band above a telephone's 8 kHz sampling, with room for the slope of its resampler. */
export const HIGH_BAND_FROM_HZ = 5_000;

/** Butterworth of order 8, as four sections: 44 dB down at a telephone's 3.4 kHz. */
const SECTION_QUALITIES = [0.5098, 0.6013, 0.9, 2.5629];
/** Below this a filter that rings out would reach numbers that processors are slow with. */
const RUNG_OUT = 1e-30;
/** Above this (or NaN) a sample was broken, which must not be heard for ever. */
const BROKEN = 1e6;

/** A meter that hears its stream from here on. A broken frame (NaN) counts as silence. */
export function createHighBandMeter() {
  const { feedback, power } = designHighPass();
  const state = new Float64Array(feedback.length);
  return {
    /** The next frame's level there (RMS), in dBFS; -100 is silence. Allocates nothing. */
    measure(frame: Float32Array): number {
      const count = Math.min(frame.length, FRAME_SAMPLES);
      const meanSquare = (power * filteredSquares(frame, count, feedback, state)) / count;
      for (let at = 0; at < state.length; at++) state[at] = kept(state[at] ?? 0);
      if (!(meanSquare > 0 && meanSquare < BROKEN)) return SILENCE_DBFS;
      return Math.max(SILENCE_DBFS, 10 * Math.log10(meanSquare));
    },
  };
}

/**
 * Every section's a1 and a2 (bilinear transform of a second-order high-pass). Their numerators are
 * all 1, -2, 1 times a factor; `power` is the product of the factors squared.
 */
function designHighPass(): { readonly feedback: Float64Array; readonly power: number } {
  const angle = (2 * Math.PI * HIGH_BAND_FROM_HZ) / SAMPLE_RATE_HZ;
  const feedback = new Float64Array(2 * SECTION_QUALITIES.length);
  let power = 1;
  for (const [section, quality] of SECTION_QUALITIES.entries()) {
    const alpha = Math.sin(angle) / (2 * quality);
    const scale = 1 / (1 + alpha);
    feedback[2 * section] = -2 * Math.cos(angle) * scale;
    feedback[2 * section + 1] = (1 - alpha) * scale;
    power *= (((1 + Math.cos(angle)) / 2) * scale) ** 2;
  }
  return { feedback, power };
}

/**
 * The sum of the squares of the filtered frame; `state` carries the filter on from the frame before.
 * Transposed direct form II. A sample goes through all sections before the next, so that the
 * processor overlaps them: three times as fast as section by section.
 */
function filteredSquares(
  frame: Float32Array,
  count: number,
  feedback: Float64Array,
  state: Float64Array,
): number {
  let sum = 0;
  for (let i = 0; i < count; i++) {
    let value = frame[i] ?? 0;
    for (let at = 0; at < state.length; at += 2) {
      const out = value + (state[at] ?? 0);
      state[at] = (state[at + 1] ?? 0) - 2 * value - (feedback[at] ?? 0) * out;
      state[at + 1] = value - (feedback[at + 1] ?? 0) * out;
      value = out;
    }
    sum += value * value;
  }
  return sum;
}

function kept(value: number): number {
  const size = Math.abs(value);
  return size > RUNG_OUT && size < BROKEN ? value : 0;
}
