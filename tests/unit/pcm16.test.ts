import { expect, test } from 'vitest';
import { concatPcm16, samplesOf, toPcm16 } from '../../src/core/audio/samples.ts';

test('is off by half a step at most, clips beyond full scale, and hears nothing in NaN', () => {
  const samples = Float32Array.from({ length: 2_001 }, (_, index) => (index - 1_000) / 1_000.3);
  const back = samplesOf([toPcm16(samples)]);
  for (const [index, sample] of samples.entries()) {
    expect(Math.abs((back[index] ?? 9) - sample)).toBeLessThanOrEqual(1 / 65_536);
  }
  const odd = new Float32Array([1, 1.5, -1, -7, Number.NaN, Number.POSITIVE_INFINITY]);
  expect([...toPcm16(odd)]).toEqual([32_767, 32_767, -32_768, -32_768, 0, 32_767]);
});

test('is the same after there and back: what was heard is what is stored and sent', () => {
  const every = Int16Array.from({ length: 65_536 }, (_, index) => index - 32_768);
  expect(toPcm16(samplesOf([every]))).toEqual(every);
});

test('pieces stand one after the other, empty ones too', () => {
  const pieces = [Int16Array.of(1, 2), new Int16Array(), Int16Array.of(-3)];
  expect(concatPcm16(pieces)).toEqual(Int16Array.of(1, 2, -3));
  expect(samplesOf(pieces)).toEqual(Float32Array.of(1 / 32_768, 2 / 32_768, -3 / 32_768));
  expect(samplesOf([])).toHaveLength(0);
});
