import { describe, expect, test } from 'vitest';
import { clampThreads, copyClean } from '../../workers/audio/ort-engine.ts';

describe('threads', () => {
  test.each<[number, number, boolean, number]>([
    [1, 8, true, 1],
    [2, 8, true, 2],
    [4, 8, true, 4],
    [5, 8, true, 4],
    [99, 64, true, 4],
    [4, 2, true, 2],
    [4, 1, true, 1],
    [2.9, 8, true, 2],
    [0, 8, true, 1],
    [-3, 8, true, 1],
    [Number.NaN, 8, true, 1],
    [Number.POSITIVE_INFINITY, 8, true, 4],
    // Some browsers do not tell.
    [4, Number.NaN, true, 1],
    [4, 0, true, 1],
    [4, 8, false, 1],
  ])('%d wanted, %d cores, isolated %s: %d', (wanted, cores, isIsolated, expected) => {
    expect(clampThreads(wanted, { cores, isIsolated })).toBe(expected);
  });
});

describe('a frame on its way into a model', () => {
  test('is copied as it is', () => {
    const into = new Float32Array(4);
    copyClean(Float32Array.of(0, -1, 1, 0.5), into);
    expect([...into]).toEqual([0, -1, 1, 0.5]);
  });

  test('loses what is no audio', () => {
    const into = new Float32Array(6);
    const bad = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e38, -1_001];
    copyClean(Float32Array.of(...bad, 1_000), into);
    expect([...into]).toEqual([0, 0, 0, 0, 0, 1_000]);
  });

  test('is filled up with silence, not with what was there', () => {
    const into = Float32Array.of(9, 9, 9);
    copyClean(Float32Array.of(1), into);
    expect([...into]).toEqual([1, 0, 0]);
  });

  test('must not be too long', () => {
    expect(() => copyClean(new Float32Array(4), new Float32Array(3))).toThrow(
      'A frame holds at most 3 samples, not 4',
    );
  });
});
