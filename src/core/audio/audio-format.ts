/**
 * The one rate inside Diktera, mono. Recorded audio is 16-bit PCM from the worklet on, so that the
 * detector hears exactly the audio that is stored and sent; computation is in 32-bit floats, -1..1.
 */
export const SAMPLE_RATE_HZ = 16_000;

/** A frame is 96 ms. The last one before a pause or the end may be shorter. */
export const FRAME_SAMPLES = 1_536;

/** One inference of Silero: 32 ms, three to a frame. */
export const WINDOW_SAMPLES = 512;

/** Samples of the window before that Silero needs in front of each window. */
export const CONTEXT_SAMPLES = 64;

const SAMPLES_PER_MS = SAMPLE_RATE_HZ / 1_000;

/** A length in samples at 16 kHz as milliseconds. */
export function samplesToMs(samples: number): number {
  return samples / SAMPLES_PER_MS;
}

/** A length in milliseconds as whole samples at 16 kHz, rounded down: a limit is never exceeded. */
export function msToSamples(ms: number): number {
  return Math.floor(ms * SAMPLES_PER_MS);
}

/**
 * A part of a recording: `[startSample, endSample)`, counted in samples at 16 kHz since it began. Paused time has no samples.
 */
export type SampleRange = {
  readonly startSample: number;
  readonly endSample: number;
};

/** The length of a range, in samples. */
export function rangeSamples(range: SampleRange): number {
  return range.endSample - range.startSample;
}

/** The length of the part that two ranges share, in samples. */
export function overlapSamples(one: SampleRange, other: SampleRange): number {
  const start = Math.max(one.startSample, other.startSample);
  return Math.max(0, Math.min(one.endSample, other.endSample) - start);
}
