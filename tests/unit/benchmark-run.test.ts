import { describe, expect, test } from 'vitest';
import type { RowKey } from '../../src/benchmark/report.ts';
import {
  type BenchmarkRunner,
  median,
  percentile,
  runBenchmark,
} from '../../src/benchmark/run-benchmark.ts';

const PLAN = { rounds: 3, turnMs: 10, liveMs: 960 };
const KERNEL: RowKey = { engine: 'kernel', threads: 1 };
const ORT: RowKey = { engine: 'ort', threads: 1 };
const ORT_TWO: RowKey = { engine: 'ort', threads: 2 };
const SAMPLES = new Float32Array(3 * 1_536);

/** A runner that takes a microsecond more each turn, and 1 ms in the first one. */
function fakeRunner(key: RowKey, calls: string[], more: Partial<BenchmarkRunner> = {}) {
  const name = `${key.engine}${key.threads}`;
  let turn = 0;
  let isDisposed = false;
  const runner: BenchmarkRunner = {
    key,
    start: async () => ({ startupMs: 12, bytes: 1_000 }),
    setAudio: async () => undefined,
    inferAll: async () => (key.engine === 'kernel' ? [0.1, 0.5, 0.9] : [0.1, 0.5, 0.902]),
    async run() {
      calls.push(name);
      const us = turn === 0 ? 1_000 : 100 + turn;
      turn += 1;
      const frameUs = new Float32Array(101).fill(us);
      // Somebody else had the processor.
      frameUs[50] = 90_000;
      return frameUs;
    },
    async inferNext() {
      calls.push(`${name} live`);
      return 96;
    },
    dispose() {
      isDisposed = true;
    },
    ...more,
  };
  return { runner, isDisposed: () => isDisposed };
}

function start(runners: readonly BenchmarkRunner[], signal = new AbortController().signal) {
  const progress: { readonly done: number; readonly total: number }[] = [];
  const outcome = runBenchmark(SAMPLES, PLAN, {
    runners,
    onProgress: ({ done, total }) => progress.push({ done, total }),
    signal,
    sleep: () => Promise.resolve(),
    tickUs: 0,
  });
  return { outcome, progress };
}

describe('a run of the benchmark', () => {
  test('takes turns, every other round backwards, and does not count the first round', async () => {
    const calls: string[] = [];
    const kernel = fakeRunner(KERNEL, calls);
    const ort = fakeRunner(ORT, calls);
    const { outcome, progress } = start([kernel.runner, ort.runner]);
    const { rows, failures, probabilities } = await outcome;
    expect(calls.slice(0, 8).join(' ')).toBe('kernel1 ort1 ort1 kernel1 kernel1 ort1 ort1 kernel1');
    expect(failures).toEqual([]);
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({ ...KERNEL, startupMs: 12, bytes: 1_000 });
    // A frame of 96 ms in the middle turn's 102 us.
    expect(rows[0]?.xRealtime).toBeCloseTo(96_000 / 102, 3);
    expect(rows[0]?.usPerFrame).toEqual({ p50: 102, p95: 103, p99: 103 });
    expect(rows[0]?.live).toEqual({ usPerFrame: 96, coreShare: 0.001 });
    expect(rows[0]?.maxDifference).toBeCloseTo(0.002, 9);
    expect(rows[1]?.maxDifference).toBe(0);
    expect(probabilities.get('kernel 1')).toEqual([0.1, 0.5, 0.9]);
    expect(calls.filter((call) => call.endsWith('live'))).toHaveLength(2 * 10);
    expect(progress.every(({ done, total }) => done < total)).toBe(true);
    expect(progress.map(({ done }) => done)).toEqual(
      progress.map(({ done }) => done).toSorted((a, b) => a - b),
    );
    expect([kernel.isDisposed(), ort.isDisposed()]).toEqual([true, true]);
  });

  test('leaves out an engine that fails to start, and says why', async () => {
    const calls: string[] = [];
    const broken = fakeRunner(KERNEL, calls, {
      start: () => Promise.reject(new Error('no SIMD here')),
    });
    const { outcome } = start([broken.runner, fakeRunner(ORT, calls).runner]);
    const { rows, failures } = await outcome;
    expect(rows.map(({ engine }) => engine)).toEqual(['ort']);
    expect(failures).toEqual([
      { key: KERNEL, error: { code: 'engine-failed', message: 'no SIMD here' } },
    ]);
    expect(broken.isDisposed()).toBe(true);
  });

  test('has no live cost for several threads, and no difference without onnxruntime', async () => {
    const calls: string[] = [];
    const { outcome } = start([fakeRunner(ORT_TWO, calls).runner]);
    const { rows } = await outcome;
    expect(rows[0]).toMatchObject({ live: null, maxDifference: null });
  });

  test('stops at once, even when an engine never answers', async () => {
    const controller = new AbortController();
    const hanging = fakeRunner(KERNEL, [], { run: () => new Promise(() => undefined) });
    const { outcome } = start([hanging.runner], controller.signal);
    controller.abort(new Error('enough'));
    await expect(outcome).rejects.toThrow('enough');
    expect(hanging.isDisposed()).toBe(true);
  });

  test('goes on without an engine that breaks in the middle', async () => {
    let turns = 0;
    const broken = fakeRunner(KERNEL, [], {
      run: () => {
        turns += 1;
        return Promise.reject(new Error('out of memory'));
      },
    });
    const calls: string[] = [];
    const { outcome } = start([broken.runner, fakeRunner(ORT, calls).runner]);
    const { rows, failures } = await outcome;
    expect(failures).toEqual([
      { key: KERNEL, error: { code: 'engine-failed', message: 'out of memory' } },
    ]);
    expect(rows.map(({ engine }) => engine)).toEqual(['ort']);
    expect(turns).toBe(1);
    expect(calls.filter((call) => call === 'ort1')).toHaveLength(PLAN.rounds + 1);
  });
});

describe('percentiles', () => {
  test('are values, and NaN of nothing', () => {
    expect(percentile([5, 1, 3], 0.5)).toBe(3);
    expect(percentile([5, 1, 3], 1)).toBe(5);
    expect(percentile([5, 1, 3], 0)).toBe(1);
    expect(percentile([], 0.5)).toBeNaN();
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });

  test('are finer than a clock that ticks', () => {
    // True times are spread evenly over 27 to 33; the clock tells 25, 30 or 35.
    const seen = Array.from({ length: 10_000 }, (_, i) => {
      const start = (i * 1.618034) % 5;
      const end = start + 27 + (6 * i) / 10_000;
      return Math.floor(end / 5) * 5;
    });
    expect(percentile(seen, 0.5, 5)).toBeGreaterThan(28.5);
    expect(percentile(seen, 0.5, 5)).toBeLessThan(31.5);
  });
});
