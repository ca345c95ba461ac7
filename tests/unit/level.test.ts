import { expect, test } from 'vitest';
import {
  createHighBandMeter,
  peakDbfs,
  rmsDbfs,
  SILENCE_DBFS,
} from '../../src/core/audio/level.ts';
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

const FRAME = 1_536;

/** The level of a tone's last frame, when the filter has settled. */
function levelOf(hz: number): number {
  const meter = createHighBandMeter();
  const samples = tone(hz, 16_000, 4 * FRAME);
  let level = 0;
  for (let at = 0; at < samples.length; at += FRAME) {
    level = meter.measure(samples.subarray(at, at + FRAME));
  }
  return level;
}

test.each([
  [6_000, -3.1, 0.3],
  [7_500, -3.0, 0.1],
  [5_000, -6, 0.3],
])('a tone of %i Hz is heard, at %f dBFS', (hz, dbfs, within) => {
  expect(Math.abs(levelOf(hz) - dbfs)).toBeLessThan(within);
});

test.each([
  [3_400, -47],
  [2_000, -90],
  [300, -99],
])('one of %i Hz is not, at most %f dBFS are left', (hz, dbfs) => {
  expect(levelOf(hz)).toBeLessThanOrEqual(dbfs);
});

test('silence, an empty frame and a broken one are silence, and the next one is heard', () => {
  const meter = createHighBandMeter();
  const bright = tone(7_000, 16_000, FRAME);
  expect(meter.measure(new Float32Array(FRAME))).toBe(SILENCE_DBFS);
  expect(meter.measure(new Float32Array(0))).toBe(SILENCE_DBFS);
  for (const broken of [Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(meter.measure(Float32Array.of(0.5, broken, 0.5))).toBe(SILENCE_DBFS);
    expect(meter.measure(bright)).toBeCloseTo(rmsDbfs(bright), 0);
  }
});
