/**
 * The one rate inside Diktera, mono (spec, section 9). What is recorded is kept as 16-bit PCM from
 * the worklet on, so that what was heard is what is stored and sent; what is computed with is
 * 32-bit float in -1..1.
 */
export const SAMPLE_RATE_HZ = 16_000;

/**
 * What the worklet sends at a time: 96 ms. The last frame before a pause or the end may be shorter.
 */
export const FRAME_SAMPLES = 1_536;

/** One inference of Silero v5 and v6: 32 ms, three to a frame. */
export const WINDOW_SAMPLES = 512;

/** Samples of the window before that Silero v5 and v6 need in front of each window. */
export const CONTEXT_SAMPLES = 64;

const SAMPLES_PER_MS = SAMPLE_RATE_HZ / 1_000;

/**
 * A length in samples at 16 kHz as milliseconds, for people and for limits given in milliseconds.
 */
export function samplesToMs(samples: number): number {
  return samples / SAMPLES_PER_MS;
}

/** A length in milliseconds as whole samples at 16 kHz, rounded down: a limit is never exceeded. */
export function msToSamples(ms: number): number {
  return Math.floor(ms * SAMPLES_PER_MS);
}

/**
 * A stretch of a session's audio: `[startSample, endSample)`, counted in samples at 16 kHz since
 * the session began. Paused time has no samples.
 */
export type SampleRange = {
  readonly startSample: number;
  readonly endSample: number;
};

/** How many samples a range holds. */
export function rangeSamples(range: SampleRange): number {
  return range.endSample - range.startSample;
}

/** How many samples two ranges share. */
export function overlapSamples(one: SampleRange, other: SampleRange): number {
  const start = Math.max(one.startSample, other.startSample);
  return Math.max(0, Math.min(one.endSample, other.endSample) - start);
}
