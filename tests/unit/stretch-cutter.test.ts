import { expect, test } from 'vitest';
import { concatSamples, toPcm16 } from '../../src/core/audio/samples.ts';
import {
  createStretchCutter,
  MAX_STRETCH_SAMPLES,
  type RawStretch,
} from '../../workers/recordings/recorder.ts';

const FRAME = 1_536;

/** Loud but for a quiet 400 ms after each 55 s, and numbered so that order can be seen. */
function sound(samples: number): Int16Array {
  return Int16Array.from({ length: samples }, (_, index) => {
    const isQuiet = index % 880_000 >= 873_600;
    return (isQuiet ? 1 : 10) * (index % 977) * (index % 2 === 0 ? 1 : -1);
  });
}

function cutAll(pcm: Int16Array, fromSample = 0): RawStretch[] {
  const cutter = createStretchCutter(fromSample);
  const stretches: RawStretch[] = [];
  for (let start = 0; start < pcm.length; start += FRAME) {
    stretches.push(...cutter.take(start, pcm.subarray(start, start + FRAME)));
  }
  const rest = cutter.flush();
  return rest ? [...stretches, rest] : stretches;
}

test('stretches hold every sample once, a minute at most, cut where it is quiet', () => {
  const pcm = sound(200 * 16_000 + 321);
  const stretches = cutAll(pcm);
  const joined = toPcm16(concatSamples(stretches.map((one) => one.samples)));
  expect(Buffer.from(joined.buffer).equals(Buffer.from(pcm.buffer))).toBe(true);
  let start = 0;
  for (const [index, stretch] of stretches.entries()) {
    expect(stretch.startSample).toBe(start);
    expect(stretch.samples.length).toBeLessThanOrEqual(MAX_STRETCH_SAMPLES);
    start += stretch.samples.length;
    if (index === stretches.length - 1) continue;
    // Whole packets of 40 ms, and in the quiet.
    expect(stretch.samples.length % 640).toBe(0);
    expect(start % 880_000).toBeGreaterThanOrEqual(873_600);
  }
  expect(stretches.length).toBe(4);
});

test('what was taken before is left out, and a hole ends a stretch', () => {
  const cutter = createStretchCutter(100);
  expect(cutter.take(0, sound(100))).toEqual([]);
  expect(cutter.flush()).toBeNull();
  cutter.take(50, sound(200));
  cutter.take(200, sound(100));
  const [before] = cutter.take(1_000, sound(50));
  expect(before?.startSample).toBe(100);
  expect(before?.samples.length).toBe(200);
  expect(cutter.flush()).toMatchObject({ startSample: 1_000 });
  expect(cutter.flush()).toBeNull();
});
