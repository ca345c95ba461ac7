import { expect, test, vi } from 'vitest';
import { ResultSection } from '../../src/benchmark/ResultSection.tsx';
import type { BenchmarkRow } from '../../src/benchmark/report.ts';
import { render } from '../helpers/render.tsx';

const ROW: BenchmarkRow = {
  engine: 'kernel',
  threads: 1,
  xRealtime: 2_000,
  usPerFrame: { p50: 40, p95: 50, p99: 60 },
  startupMs: 10,
  bytes: 400_000,
  live: null,
  maxDifference: null,
};

const RESULT = {
  report: {
    kind: 'diktera-benchmark',
    machine: { browser: 'Firefox 140', cores: 2, isIsolated: true },
    date: '2026-11-26T12:00:00.000Z',
    audio: { name: 'speech.wav', seconds: 1 },
    rows: [ROW],
  },
  outcome: { rows: [ROW], failures: [], probabilities: new Map() },
  audio: { name: 'speech.wav', samples: new Float32Array(16_000), isCut: false },
} as const;

// Alone in its file: a library that did not run once never runs again in its page.
test('where the browser’s language is none, the figures are in their table, and no plot has an empty place', async () => {
  vi.spyOn(navigator, 'language', 'get').mockReturnValue('C');
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const { host } = render(<ResultSection result={RESULT} />);
  await expect.poll(() => warned.mock.calls, { timeout: 15_000 }).toHaveLength(1);
  expect(warned).toHaveBeenCalledWith('Nothing is plotted here', expect.any(RangeError));
  expect(host.querySelector('table')?.textContent).toMatch(/2\D?000/);
  expect(host.querySelector('figure')).toBeNull();
});
