import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MOONSHINE_PIECES, speechWindows, splitAtPauses } from '../../../server/engine/pieces.ts';

const RATE_HZ = 16_000;
const seconds = (count: number) => Math.round(count * RATE_HZ);

/** Loud everywhere except in the given stretches, in seconds. */
function speechWithPauses(length: number, ...pauses: [from: number, to: number][]): Float32Array {
  const samples = new Float32Array(seconds(length)).map((_, index) => 0.3 * Math.sin(index / 7));
  for (const [from, to] of pauses) samples.fill(0.001, seconds(from), seconds(to));
  return samples;
}

describe('splitAtPauses', () => {
  test('cuts in the pause, not before 6 s and not in a word', () => {
    const [first, second] = splitAtPauses(speechWithPauses(20, [3, 4], [9, 9.5]), MOONSHINE_PIECES);
    expect(first?.endSample).toBeGreaterThanOrEqual(seconds(9.1));
    expect(first?.endSample).toBeLessThanOrEqual(seconds(9.4));
    expect(second).toEqual({ startSample: first?.endSample, endSample: seconds(20) });
  });

  test('passes over a gap shorter than 200 ms for a real pause', () => {
    const [first] = splitAtPauses(speechWithPauses(20, [7, 7.1], [11, 11.3]), MOONSHINE_PIECES);
    expect(first?.endSample).toBeGreaterThan(seconds(11));
  });

  test('any audio: in order, without gap or overlap, none over 14 s, none but the last under 6 s', () => {
    const audio = fc.record({
      length: fc.integer({ min: 1, max: seconds(70) }),
      pauses: fc.array(fc.integer({ min: 0, max: 69 }), { maxLength: 12 }),
      isSilent: fc.boolean(),
    });
    fc.assert(
      fc.property(audio, ({ length, pauses, isSilent }) => {
        const samples = new Float32Array(length).fill(isSilent ? 0 : 0.1);
        for (const at of pauses) samples.fill(0, seconds(at), seconds(at + 0.3));
        const pieces = splitAtPauses(samples, MOONSHINE_PIECES);
        let end = 0;
        for (const piece of pieces) {
          expect(piece.startSample).toBe(end);
          const size = piece.endSample - piece.startSample;
          expect(size).toBeGreaterThan(0);
          expect(size).toBeLessThanOrEqual(seconds(14));
          if (piece !== pieces.at(-1)) expect(size).toBeGreaterThanOrEqual(seconds(6));
          end = piece.endSample;
        }
        expect(end).toBe(length);
      }),
      { seed: 90, numRuns: 60 },
    );
  });
});

describe('speechWindows', () => {
  /** Quiet of the given level, a second of speech from `at` on, quiet again. */
  function speechIn(length: number, at: number, quietLevel: number): Float32Array {
    const samples = new Float32Array(seconds(length)).map(
      (_, index) => quietLevel * Math.sin(index / 3),
    );
    for (let index = seconds(at); index < seconds(at + 1); index++) {
      samples[index] = 0.3 * Math.sin(index / 7);
    }
    return samples;
  }

  test.each([
    ['digital silence', 0],
    ['a quiet room', 0.001],
    ['a fan', 0.02],
  ])('finds the speech in %s, with 100 ms to spare on both sides', (_, level) => {
    const windows = speechWindows(speechIn(12, 8, level));
    const narrowest = windows.at(-1);
    expect(narrowest?.startSample).toBe(seconds(7.9));
    expect(narrowest?.endSample).toBe(seconds(9.1));
  });

  test('never cuts the speech itself, and gets narrower with each window', () => {
    const windows = speechWindows(speechIn(5, 2, 0.02));
    expect(windows.length).toBeGreaterThan(1);
    windows.forEach((window, index) => {
      expect(window.startSample).toBeLessThanOrEqual(seconds(1.9));
      expect(window.endSample).toBeGreaterThanOrEqual(seconds(3.1));
      const wider = windows[index - 1];
      if (wider !== undefined) {
        expect(window.startSample).toBeGreaterThanOrEqual(wider.startSample);
        expect(window.endSample).toBeLessThanOrEqual(wider.endSample);
      }
    });
  });
});
