import { describe, expect, test } from 'vitest';
import {
  type BenchmarkReport,
  browserName,
  clockTickUs,
  findSpeech,
  outline,
  parseReport,
} from '../../src/benchmark/report.ts';

const REPORT: BenchmarkReport = {
  kind: 'diktera-benchmark',
  machine: { browser: 'Chrome 140', cores: 4, isIsolated: true },
  date: '2026-02-03T04:05:06.000Z',
  audio: { name: 'a.wav', seconds: 6.2 },
  rows: [
    {
      ...{ engine: 'kernel', threads: 1, xRealtime: 3_000, startupMs: 20, bytes: 9 },
      usPerFrame: { p50: 30, p95: 33, p99: 40 },
      live: { usPerFrame: 90, coreShare: 0.001 },
      maxDifference: 0.002,
    },
    {
      ...{ engine: 'ort', threads: 4, xRealtime: 200, startupMs: 400, bytes: 99 },
      usPerFrame: { p50: 300, p95: 330, p99: 400 },
      live: null,
      maxDifference: 0,
    },
  ],
};

describe('a saved result', () => {
  test('reads back as it was', () => {
    expect(parseReport(JSON.stringify(REPORT))).toEqual(REPORT);
  });

  test.each([
    ['no JSON', 'rows'],
    ['another file', '{"name":"x"}'],
    ['null', 'null'],
    ['no rows', JSON.stringify({ ...REPORT, rows: [] })],
    ['a row without its speed', JSON.stringify({ ...REPORT, rows: [{ engine: 'ort' }] })],
    [
      'an engine nobody knows',
      JSON.stringify({ ...REPORT, rows: [{ ...REPORT.rows[0], engine: 'abacus' }] }),
    ],
    [
      'a number that is a word',
      JSON.stringify({ ...REPORT, rows: [{ ...REPORT.rows[0], bytes: 'many' }] }),
    ],
  ])('is not %s', (_, text) => {
    expect(parseReport(text)).toBeNull();
  });
});

describe('what the plots show', () => {
  test('the outline holds every peak, in as many stretches as asked for', () => {
    const samples = new Float32Array(1_000);
    samples[3] = 0.7;
    samples[999] = -0.9;
    const { seconds, low, high } = outline(samples, 1_000, 10);
    expect(seconds).toHaveLength(10);
    expect(seconds[0]).toBeCloseTo(0.05, 9);
    expect(high[0]).toBeCloseTo(0.7, 6);
    expect(low[9]).toBeCloseTo(-0.9, 6);
  });

  test('speech begins above the upper threshold, lasts to the lower, and ends with the audio', () => {
    const probabilities = [0, 0.7, 0.9, 0.5, 0.2, 0.5, 0.9];
    const samples = 6 * 1_536 + 100;
    expect(findSpeech(probabilities, samples)).toEqual([
      { startSample: 2 * 1_536, endSample: 4 * 1_536 },
      { startSample: 6 * 1_536, endSample: samples },
    ]);
  });
});

describe('this machine', () => {
  test.each([
    [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36',
      'Chrome 140',
    ],
    ['Mozilla/5.0 AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36 Edg/140.0.1', 'Edge 140'],
    ['Mozilla/5.0 (X11; rv:144.0) Gecko/20100101 Firefox/144.0', 'Firefox 144'],
    ['Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 Version/18.4 Safari/605.1.15', 'Safari 18'],
    ['Lynx', 'Lynx'],
  ])('%s', (userAgent, name) => {
    expect(browserName(userAgent)).toBe(name);
  });

  test('its clock’s tick is found', () => {
    let calls = 0;
    const nowMs = () => Math.floor(calls++ / 7) * 0.1;
    expect(clockTickUs(nowMs)).toBeCloseTo(100, 6);
  });
});
