/** The likeness of two sounds, at the shift at which they are most alike. */
export type Likeness = {
  /** Correlation coefficient, -1 to 1. */
  readonly correlation: number;
  /** The delay of the second sound, in samples. */
  readonly lagSamples: number;
};

/** Compares sounds at shifts of up to `maxLagSamples` either way. */
export function compareSounds(
  first: Float32Array,
  second: Float32Array,
  maxLagSamples: number,
): Likeness {
  let best: Likeness = { correlation: -1, lagSamples: 0 };
  for (let lagSamples = -maxLagSamples; lagSamples <= maxLagSamples; lagSamples += 1) {
    const correlation = correlate(first, second, lagSamples);
    if (correlation > best.correlation) best = { correlation, lagSamples };
  }
  return best;
}

function correlate(first: Float32Array, second: Float32Array, lagSamples: number): number {
  let product = 0;
  let firstEnergy = 0;
  let secondEnergy = 0;
  for (let index = 0; index < first.length; index += 1) {
    const a = first[index] ?? 0;
    const b = second[index + lagSamples] ?? 0;
    product += a * b;
    firstEnergy += a * a;
    secondEnergy += b * b;
  }
  return product / Math.sqrt(firstEnergy * secondEnergy || 1);
}
