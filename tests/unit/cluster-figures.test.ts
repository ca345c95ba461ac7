import { describe, expect, test } from 'vitest';
import { decodeAudio } from '../../server/audio/decode-audio.ts';
import {
  type ChunkRecord,
  recoverySeconds,
  transcribedTwice,
  waitsOf,
} from '../cluster/figures.ts';
import { chunkLengths, mean, poissonArrivals, recordingMoulds } from '../cluster/recordings.ts';
import { seededRandom } from '../helpers/seeded-random.ts';

/** What the cluster's test counts with. */
describe('arrivals', () => {
  test('come at the rate that is asked for, and their gaps are exponential', () => {
    const arrivals = poissonArrivals(1_000_000, 8, () => 4, seededRandom(3));
    expect(arrivals.length).toBeGreaterThan(3_800);
    expect(arrivals.length).toBeLessThan(4_200);
    const gaps = arrivals.slice(1).map((atMs, index) => atMs - arrivals[index]!);
    const meanMs = mean(gaps);
    // Of an exponential distribution, e to the minus 1 lie above the mean, and its square is the
    // variance.
    expect(gaps.filter((gap) => gap > meanMs).length / gaps.length).toBeCloseTo(Math.exp(-1), 1);
    const variance = mean(gaps.map((gap) => (gap - meanMs) ** 2));
    expect(Math.sqrt(variance) / meanMs).toBeCloseTo(1, 1);
  });

  test('follow a rate that changes, and are the same for the same seed', () => {
    const rate = (atMs: number) => (atMs < 100_000 ? 1 : 3);
    const arrivals = poissonArrivals(200_000, 3, rate, seededRandom(5));
    const early = arrivals.filter((atMs) => atMs < 100_000).length;
    expect((arrivals.length - early) / early).toBeGreaterThan(2.2);
    expect((arrivals.length - early) / early).toBeLessThan(4);
    expect(poissonArrivals(200_000, 3, rate, seededRandom(5))).toEqual(arrivals);
  });

  test('are of 1 to 90 s, about 20 on average, and some fill a chunk', () => {
    const lengths = chunkLengths(32, seededRandom(1));
    expect(lengths).toHaveLength(32);
    expect(mean(lengths)).toBeGreaterThan(17);
    expect(mean(lengths)).toBeLessThan(23);
    expect(Math.min(...lengths)).toBeGreaterThanOrEqual(1);
    expect(Math.max(...lengths)).toBeGreaterThan(60);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(90);
  });
});

test('recordings are as long as asked for, each sounds otherwise, and the same again when repeated', async () => {
  const [short, long] = await recordingMoulds([3, 90]);
  const heard = async (file: ArrayBuffer) => decodeAudio(new Uint8Array(file), 120_000);
  const one = await heard(short!.make(1));
  expect(one.complete).toBe(true);
  expect(Math.abs(one.samples.length - short!.durationSamples)).toBeLessThan(160);
  expect(await heard(short!.make(1))).toEqual(one);
  expect((await heard(short!.make(2))).samples).not.toEqual(one.samples);
  const file = long!.make(7);
  expect(file.byteLength).toBeGreaterThan(330_000);
  expect(file.byteLength).toBeLessThan(400_000);
  const ninety = await heard(file);
  expect(ninety.complete).toBe(true);
  expect(Math.abs(ninety.samples.length / 16_000 - long!.seconds)).toBeLessThan(0.05);
}, 30_000);

/** A chunk each 100 ms whose text takes `waitMs`. */
function traffic(forMs: number, waitMs: (atMs: number) => number | null): ChunkRecord[] {
  return Array.from({ length: forMs / 100 }, (_, index) => {
    const saidAtMs = index * 100;
    const wait = waitMs(saidAtMs);
    return { seconds: 10, saidAtMs, textAtMs: wait === null ? null : saidAtMs + wait };
  });
}

describe('figures', () => {
  test('waits are from the first try to the text, and those without a text are none', () => {
    const records = traffic(100_000, (atMs) => (atMs === 0 ? null : atMs / 10));
    const { p50, p95, p99, longest } = waitsOf(records);
    expect(p50).toBeCloseTo(5, 1);
    expect(p95).toBeCloseTo(9.5, 1);
    expect(p99).toBeCloseTo(9.9, 1);
    expect(longest).toBe(9.99);
    expect(waitsOf([]).p50).toBeNaN();
  });

  test('each time beyond the first is a second time', () => {
    expect(transcribedTwice([])).toBe(0);
    expect(transcribedTwice(['a', 'b', 'c'])).toBe(0);
    expect(transcribedTwice(['a', 'b', 'a', 'a', 'c', 'b'])).toBe(3);
  });

  test('recovery ends with the text of the last that was overdue; chunks long after it are none of it', () => {
    const SPEED = 10;
    const recovered = (waitMs: (atMs: number) => number | null) =>
      recoverySeconds(traffic(60_000, waitMs), 20_000, SPEED);
    // Each takes a second at the engine, and another for all else.
    expect(recovered(() => 2_000)).toBe(0);
    expect(recovered((atMs) => (atMs >= 20_000 && atMs < 25_000 ? 9_000 : 2_000))).toBeCloseTo(
      13.9,
    );
    // What was under way when it happened.
    expect(recovered((atMs) => (atMs === 19_000 ? 16_000 : 2_000))).toBeCloseTo(15);
    expect(recovered((atMs) => (atMs === 50_000 ? 9_000 : 2_000))).toBe(0);
    expect(recovered((atMs) => (atMs === 21_000 ? null : 2_000))).toBe(Number.POSITIVE_INFINITY);
  });
});
