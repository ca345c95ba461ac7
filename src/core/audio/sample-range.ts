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
