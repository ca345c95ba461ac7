/**
 * A floating-point number of 16 bits: sign, exponent, fraction. Every pattern is a finite number.
 */
export type SmallFloat = {
  readonly fractionBits: number;
  /**
   * What the exponent is stored with on top; the field 0 means 1 without the leading bit
   * (subnormal).
   */
  readonly bias: number;
};

/**
 * Half precision with one bit of the exponent given to the fraction: from 2^-20 to just below 64,
 * where all of Silero's weights lie. In half precision itself, probabilities of v6 were off by up
 * to 0.06 in loud audio: a few channels grow very large there, and their weights' rounding with
 * them.
 */
export const SMALL: SmallFloat = { fractionBits: 11, bias: 10 };

/**
 * A fixed point below 4, in steps of 2^-12. Where all inputs are of one size, as an LSTM's hidden
 * values are, small weights need no finer steps, and it compresses better. Steps of 2^-13 would
 * halve the largest error of v6's probabilities (2.9e-3 in minutes of hard audio) for 8 kB.
 */
export const FIXED: SmallFloat = { fractionBits: 13, bias: 0 };

/**
 * The number's 16 bits, rounded to the nearest, ties to even. Throws when it does not fit or is
 * none.
 */
export function toSmallFloat(value: number, { fractionBits, bias }: SmallFloat): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  const least = 1 - bias;
  const exponent = Math.max(least, Math.floor(Math.log2(size)));
  const steps = roundHalfEven(size * 2 ** (fractionBits - exponent));
  // The leading bit of a normal number adds one to the exponent's field, as does a fraction rounded
  // up to 2.
  const pattern = steps + (exponent - least) * 2 ** fractionBits;
  if (!(pattern < 0x8000)) throw new Error(`${value} does not fit 16 bits`);
  return sign + pattern;
}

function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return rest < 0.5 ? floor : floor + 1;
  return floor % 2 === 0 ? floor : floor + 1;
}
