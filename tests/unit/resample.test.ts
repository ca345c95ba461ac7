import { describe, expect, it } from 'vitest';
import { resample } from '../../workers/audio/read-compressed.ts';

function tone(rateHz: number, toneHz: number, seconds: number): Float32Array {
  return Float32Array.from({ length: rateHz * seconds }, (_, index) =>
    Math.sin((2 * Math.PI * toneHz * index) / rateHz),
  );
}

function worstDifference(a: Float32Array, b: Float32Array, margin: number): number {
  let worst = 0;
  for (let index = margin; index < a.length - margin; index += 1) {
    worst = Math.max(worst, Math.abs((a[index] ?? 0) - (b[index] ?? 0)));
  }
  return worst;
}

describe('resample', () => {
  it.each([48_000, 44_100, 24_000, 8_000])('keeps a tone of %i Hz in place', (rateHz) => {
    const result = resample(tone(rateHz, 1_000, 1), rateHz);
    expect(result.length).toBe(16_000);
    expect(worstDifference(result, tone(16_000, 1_000, 1), 200)).toBeLessThan(0.01);
  });

  it('does not fold what 16 kHz cannot hold back into it', () => {
    const result = resample(tone(48_000, 11_000, 1), 48_000);
    expect(Math.max(...result.subarray(200, 15_800))).toBeLessThan(0.01);
  });

  it('leaves 16 kHz alone', () => {
    const samples = tone(16_000, 440, 1);
    expect(resample(samples, 16_000)).toBe(samples);
  });
});
