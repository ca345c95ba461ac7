import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FIXED, SMALL, type SmallFloat, toSmallFloat } from '../../tools/kernel/weights.ts';

/** What 16 bits stand for, straight from the definition. */
function fromSmallFloat(pattern: number, { fractionBits, bias }: SmallFloat): number {
  const sign = pattern & 0x8000 ? -1 : 1;
  const field = (pattern & 0x7fff) >> fractionBits;
  const fraction = (pattern & (2 ** fractionBits - 1)) / 2 ** fractionBits;
  const leading = field === 0 ? 0 : 1;
  return sign * (leading + fraction) * 2 ** (Math.max(1, field) - bias);
}

describe.each([
  ['small', SMALL, 64, 2 ** -20],
  ['fixed', FIXED, 16, 2 ** -12],
] as const)('numbers in 16 bits, %s', (_name, format, limit, step) => {
  test('every pattern comes back as it was', () => {
    for (let pattern = 0; pattern < 0x10000; pattern++) {
      expect(toSmallFloat(fromSmallFloat(pattern, format), format)).toBe(pattern);
    }
  });

  test('no other pattern is nearer', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: limit * 0.999, noNaN: true }), (value) => {
        const pattern = toSmallFloat(value, format);
        const error = Math.abs(fromSmallFloat(pattern, format) - value);
        for (const other of [pattern - 1, pattern + 1]) {
          if (other < 0 || other > 0x7fff) continue;
          const otherError = Math.abs(fromSmallFloat(other, format) - value);
          expect(error <= otherError).toBe(true);
          if (error === otherError) expect(pattern % 2).toBe(0);
        }
      }),
      { seed: 3, numRuns: 2_000 },
    );
  });

  test('the smallest, the largest, and beyond', () => {
    expect(fromSmallFloat(toSmallFloat(step, format), format)).toBe(step);
    expect(toSmallFloat(step / 2.1, format)).toBe(0);
    expect(toSmallFloat(-step, format)).toBe(0x8001);
    expect(toSmallFloat(-0, format)).toBe(0x8000);
    expect(fromSmallFloat(0x7fff, format)).toBeLessThan(limit);
    for (const value of [limit, -limit, Infinity, Number.NaN]) {
      expect(() => toSmallFloat(value, format)).toThrow('does not fit 16 bits');
    }
  });
});
