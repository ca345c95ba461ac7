/** A floating-point number of 16 bits: sign, exponent, fraction. Every pattern is a finite number. */
export type SmallFloat = {
  readonly fractionBits: number;
  /** What the exponent is stored with on top; the field 0 means 1 without the leading bit (subnormal). */
  readonly bias: number;
};

/** Half precision (IEEE 754 binary16) as far as it is finite: 10 bits of fraction, from 2^-24 to 65,504. */
export const HALF: SmallFloat = { fractionBits: 10, bias: 15 };

/**
 * One bit of the exponent given to the fraction: from 2^-20 to just below 64. Where the weights fit, it halves
 * the rounding error and compresses nearly as well.
 */
export const FINE: SmallFloat = { fractionBits: 11, bias: 10 };

/** The number's 16 bits, rounded to the nearest, ties to even. Throws when it is too large or not a number. */
export function toSmallFloat(value: number, { fractionBits, bias }: SmallFloat): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  const least = 1 - bias;
  const exponent = Math.max(least, Math.floor(Math.log2(size)));
  const steps = roundHalfEven(size * 2 ** (fractionBits - exponent));
  // The leading bit of a normal number adds one to the exponent's field, as does a fraction rounded up to 2.
  const pattern = steps + (exponent - least) * 2 ** fractionBits;
  const isInfinity = fractionBits === HALF.fractionBits && pattern >= 0x7c00;
  if (!(pattern < 0x8000) || isInfinity) throw new Error(`${value} does not fit 16 bits`);
  return sign + pattern;
}

function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return rest < 0.5 ? floor : floor + 1;
  return floor % 2 === 0 ? floor : floor + 1;
}
