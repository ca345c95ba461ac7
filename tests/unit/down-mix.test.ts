import fc from 'fast-check';
import { expect, test } from 'vitest';
import { downMix } from '../../src/core/audio/samples.ts';

test('one channel is copied', () => {
  const target = new Float32Array(3);
  downMix([Float32Array.of(0.1, 0.2, 0.3)], 0, 3, target);
  expect(target).toEqual(Float32Array.of(0.1, 0.2, 0.3));
});

test('all channels count the same, however many there are', () => {
  const target = new Float32Array(1);
  downMix(
    [1, 0, 0, 0.5, 0.5, 1].map((value) => Float32Array.of(value)),
    0,
    1,
    target,
  );
  expect(target[0]).toBeCloseTo(0.5, 6);
});

test('stereo at full scale stays within full scale', () => {
  const target = new Float32Array(2);
  downMix([Float32Array.of(1, -1), Float32Array.of(1, -1)], 0, 2, target);
  expect(target).toEqual(Float32Array.of(1, -1));
});

test('no channels are silence, over whatever was there', () => {
  const target = Float32Array.of(9, 9, 9);
  downMix([], 0, 2, target);
  expect(target).toEqual(Float32Array.of(0, 0, 9));
});

test('takes the frames asked for and writes nothing beyond them', () => {
  const samples = fc.array(fc.float({ min: -1, max: 1, noNaN: true }), {
    minLength: 8,
    maxLength: 8,
  });
  fc.assert(
    fc.property(
      fc.array(samples, { minLength: 1, maxLength: 6 }),
      fc.nat(4),
      fc.nat(4),
      (channels, from, frames) => {
        const target = new Float32Array(8).fill(7);
        downMix(
          channels.map((values) => Float32Array.from(values)),
          from,
          frames,
          target,
        );
        for (let i = 0; i < frames; i++) {
          const sum = channels.reduce((total, values) => total + values[from + i]!, 0);
          expect(target[i]).toBeCloseTo(sum / channels.length, 5);
        }
        expect([...target.subarray(frames)].every((value) => value === 7)).toBe(true);
      },
    ),
    { seed: 1 },
  );
});
