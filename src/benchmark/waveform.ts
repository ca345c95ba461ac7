/** The outline of a sound: the lowest and highest sample of each stretch. */
export type Waveform = {
  /** The middle of each stretch, in seconds. */
  readonly seconds: readonly number[];
  readonly low: readonly number[];
  readonly high: readonly number[];
};

/** Divides samples into at most `stretches` equal ones, for drawing. */
export function outline(samples: Float32Array, rateHz: number, stretches: number): Waveform {
  const length = Math.max(1, Math.ceil(samples.length / stretches));
  const seconds: number[] = [];
  const low: number[] = [];
  const high: number[] = [];
  for (let start = 0; start < samples.length; start += length) {
    const stretch = samples.subarray(start, start + length);
    let least = 0;
    let most = 0;
    for (const sample of stretch) {
      if (sample < least) least = sample;
      if (sample > most) most = sample;
    }
    seconds.push((start + stretch.length / 2) / rateHz);
    low.push(least);
    high.push(most);
  }
  return { seconds, low, high };
}
