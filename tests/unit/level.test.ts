import { expect, test } from 'vitest';
import { peakDbfs, rmsDbfs, SILENCE_DBFS } from '../../src/core/audio/level.ts';
import { tone } from '../helpers/tones.ts';

test('a full-scale sine is 3.01 dB below full scale', () => {
  expect(rmsDbfs(tone(1_000, 16_000, 1_600))).toBeCloseTo(-3.0103, 3);
});

test('full scale is 0 dB, a tenth of it -20 dB', () => {
  expect(rmsDbfs(Float32Array.of(1, -1, 1))).toBeCloseTo(0, 6);
  expect(rmsDbfs(Float32Array.of(0.1, -0.1))).toBeCloseTo(-20, 5);
});

test.each([
  ['digital zero', new Float32Array(10)],
  ['no samples', new Float32Array(0)],
  ['a broken sample', Float32Array.of(0.5, Number.NaN)],
  ['less than the lowest level', new Float32Array(10).fill(1e-8)],
])('%s is silence', (_name, samples) => {
  expect(rmsDbfs(samples)).toBe(SILENCE_DBFS);
});

test('the peak is the loudest sample, whichever its sign; silence has none', () => {
  expect(peakDbfs(Float32Array.of(0.1, -1, 0.5))).toBeCloseTo(0, 6);
  expect(peakDbfs(Float32Array.of(0.1, -0.05))).toBeCloseTo(-20, 5);
  expect(peakDbfs(new Float32Array(0))).toBe(SILENCE_DBFS);
  expect(peakDbfs(new Float32Array(9))).toBe(SILENCE_DBFS);
});
