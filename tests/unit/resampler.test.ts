import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { firstDifference } from '../helpers/first-difference.ts';
import { newResampler, resampleWhole } from '../helpers/speex.ts';
import { measureTone, toDb, tone } from '../helpers/tones.ts';

const RATES_HZ = [8_000, 16_000, 44_100, 48_000, 96_000];

/** Reproducible noise: everything a filter can get wrong shows in it. */
function noise(samples: number): Float32Array {
  let state = 12_345;
  return Float32Array.from({ length: samples }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 1_073_741_824 - 1;
  });
}

describe.each(RATES_HZ)('at %i Hz', (rateHz) => {
  test('any blocks give what one piece gives, bit for bit, and exactly as many samples', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 4_096 }), { minLength: 1, maxLength: 12 }),
        (blocks) => {
          const frames = blocks.reduce((sum, block) => sum + block, 0);
          const input = noise(frames);
          const whole = resampleWhole(newResampler(rateHz), input);

          const resampler = newResampler(rateHz);
          const pieces: number[] = [];
          let at = 0;
          for (const block of blocks) {
            resampler.input.set(input.subarray(at, at + block));
            const count = resampler.process(block);
            pieces.push(...resampler.output.subarray(0, count));
            at += block;
          }
          const rest = resampler.flush();
          pieces.push(...resampler.output.subarray(0, rest));

          expect(pieces.length).toBe(Math.round((frames * 16_000) / rateHz));
          expect(firstDifference(Float32Array.from(pieces), whole)).toBeNull();
          expect(resampler.inputFrames).toBe(frames);
          expect(resampler.outputSamples).toBe(pieces.length);
        },
      ),
      { seed: 3, numRuns: 15 },
    );
  });

  test('every input frame is heard, at its own time', () => {
    const frames = rateHz / 10;
    fc.assert(
      fc.property(fc.integer({ min: 0, max: frames - 1 }), (at) => {
        const input = new Float32Array(frames);
        input[at] = 1;
        const output = resampleWhole(newResampler(rateHz), input, 128);
        const loudest = output.reduce(
          (best, value, i) => (Math.abs(value) > Math.abs(output[best]!) ? i : best),
          0,
        );
        expect(Math.abs(loudest - (at * 16_000) / rateHz)).toBeLessThanOrEqual(1);
        expect(Math.abs(output[loudest]!)).toBeGreaterThan((0.5 * 16_000) / rateHz / 2);
      }),
      { seed: 4, numRuns: 30 },
    );
  });

  test('stretches between flushes add up to the exact count, however short they are', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 20 }), (stretches) => {
        const resampler = newResampler(rateHz);
        let frames = 0;
        let samples = 0;
        for (const stretch of stretches) {
          samples += resampler.process(stretch);
          samples += resampler.flush();
          frames += stretch;
          expect(samples).toBe(Math.round((frames * 16_000) / rateHz));
          expect(resampler.dueSamples).toBe(samples);
        }
      }),
      { seed: 5, numRuns: 30 },
    );
  });

  test('after a flush nothing of before is left', () => {
    const resampler = newResampler(rateHz);
    resampleWhole(resampler, noise(rateHz / 50));
    const again = resampleWhole(resampler, tone(500, rateHz, rateHz / 50), 128);
    expect(again).toEqual(resampleWhole(newResampler(rateHz), tone(500, rateHz, rateHz / 50)));
  });

  test('1 kHz within 0.1 dB, and in phase', () => {
    const { amplitude, phaseSamples } = steadyTone(1_000, rateHz);
    expect(Math.abs(toDb(amplitude))).toBeLessThan(0.1);
    expect(Math.abs(phaseSamples)).toBeLessThan(0.001);
  });
});

test.each([16_000, 44_100, 48_000, 96_000])('7 kHz within 0.5 dB at %i Hz', (rateHz) => {
  expect(Math.abs(toDb(steadyTone(7_000, rateHz).amplitude))).toBeLessThan(0.5);
});

test.each([
  [10_000, 48_000],
  [10_000, 44_100],
  [10_000, 96_000],
  [20_000, 96_000],
])('a %i Hz tone at %i Hz is suppressed by 80 dB and more', (frequencyHz, rateHz) => {
  const output = steady(resampleWhole(newResampler(rateHz), tone(frequencyHz, rateHz, rateHz)));
  const rms = Math.sqrt(output.reduce((sum, value) => sum + value * value, 0) / output.length);
  expect(toDb(rms / Math.SQRT1_2)).toBeLessThan(-80);
});

test.each([0, 44_100.5, 1_000, 1e6, Number.NaN])('refuses a rate of %d Hz', (rateHz) => {
  expect(() => newResampler(rateHz)).toThrow(RangeError);
});

/** Without the half filter at both ends, where the tone begins and stops. */
function steady(samples: Float32Array): Float32Array {
  return samples.subarray(1_600, samples.length - 1_600);
}

function steadyTone(frequencyHz: number, rateHz: number) {
  const output = resampleWhole(newResampler(rateHz), tone(frequencyHz, rateHz, rateHz), 128);
  return measureTone(steady(output), frequencyHz, 16_000);
}
