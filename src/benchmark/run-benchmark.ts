import { untilAborted } from '../core/async.ts';
import { FRAME_SAMPLES, samplesToMs } from '../core/audio/audio-format.ts';
import type { BenchmarkStart } from '../core/contracts/benchmark.ts';
import { type ErrorInfo, toErrorInfo } from '../core/errors.ts';
import { type BenchmarkRow, type LiveCost, type RowKey, rowId } from './report.ts';

const FRAME_MS = samplesToMs(FRAME_SAMPLES);

/** One engine that can be measured, wherever it runs. One call at a time. */
export type BenchmarkRunner = {
  readonly key: RowKey;
  start(): Promise<BenchmarkStart>;
  setAudio(samples: Float32Array): Promise<void>;
  inferAll(): Promise<readonly number[]>;
  run(budgetMs: number): Promise<Float32Array>;
  inferNext(): Promise<number>;
  /** Ends whatever it is doing; calls that run may never be answered. */
  dispose(): void;
};

/** Size of a measurement. */
export type BenchmarkPlan = {
  /** Counted rounds; one more runs before them. */
  readonly rounds: number;
  /** Time of each engine in a round. */
  readonly turnMs: number;
  /** Time during which a frame comes every 96 ms, to each engine in turn; 0 leaves it out. */
  readonly liveMs: number;
};

export const FULL_PLAN: BenchmarkPlan = { rounds: 5, turnMs: 250, liveMs: 5_000 };

/** State of the run, for a progress bar: `done` of `total` steps. */
export type BenchmarkProgress = {
  readonly phase: 'starting' | 'measuring' | 'live';
  readonly key: RowKey | null;
  /** 1 to `rounds`; 0 in the round that does not count. */
  readonly round: number;
  readonly done: number;
  readonly total: number;
};

export type BenchmarkOutcome = {
  readonly rows: readonly BenchmarkRow[];
  /** Engines that could not be measured, and why. */
  readonly failures: readonly { readonly key: RowKey; readonly error: ErrorInfo }[];
  /** Each measured row's probability for each frame, by `rowId`. */
  readonly probabilities: ReadonlyMap<string, readonly number[]>;
};

type BenchmarkPorts = {
  readonly runners: readonly BenchmarkRunner[];
  readonly onProgress: (progress: BenchmarkProgress) => void;
  /** Ends it: the promise then rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** Resolves after so many milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Step of the frames' clock, in microseconds. */
  readonly tickUs: number;
};

type Running = Measured & { readonly runner: BenchmarkRunner };

/**
 * Measures engines fairly: each starts alone; then all take turns, round after round, so that what
 * slows the computer down slows all of them; the first round is thrown away. An engine that fails
 * is left out and reported. All runners are disposed of at the end, whatever it is.
 */
export async function runBenchmark(
  samples: Float32Array,
  plan: BenchmarkPlan,
  ports: BenchmarkPorts,
): Promise<BenchmarkOutcome> {
  const { runners, signal } = ports;
  try {
    return await untilAborted(measure(samples, plan, ports), signal);
  } finally {
    for (const runner of runners) runner.dispose();
  }
}

async function measure(
  samples: Float32Array,
  plan: BenchmarkPlan,
  ports: BenchmarkPorts,
): Promise<BenchmarkOutcome> {
  const { runners, signal, sleep, tickUs } = ports;
  const turns = runners.length * (plan.rounds + 1);
  const total = runners.length + turns + (plan.liveMs > 0 ? runners.length : 0);
  let done = 0;
  const report = (phase: BenchmarkProgress['phase'], key: RowKey | null, round = 0) => {
    signal.throwIfAborted();
    ports.onProgress({ phase, key, round, done, total });
  };

  const failures: BenchmarkOutcome['failures'][number][] = [];
  let measured: Running[] = [];
  /** An engine that fails is out, and the others go on. */
  const attempt = async (runner: BenchmarkRunner, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      signal.throwIfAborted();
      runner.dispose();
      failures.push({ key: runner.key, error: toErrorInfo(error, 'engine-failed') });
      measured = measured.filter((one) => one.runner !== runner);
    }
  };

  for (const runner of runners) {
    report('starting', runner.key);
    await attempt(runner, async () => {
      const start = await runner.start();
      await runner.setAudio(samples);
      const probabilities = await runner.inferAll();
      measured.push({ runner, key: runner.key, start, probabilities, turns: [], liveUs: [] });
    });
    done += 1;
  }

  for (let round = 0; round <= plan.rounds; round++) {
    for (const { runner, turns } of inTurn(measured, round)) {
      report('measuring', runner.key, round);
      await attempt(runner, async () => {
        const turn = await runner.run(plan.turnMs);
        if (round > 0) turns.push(turn);
      });
      done += 1;
    }
  }

  const frames = Math.floor(plan.liveMs / FRAME_MS);
  for (let frame = 0; frame < frames; frame++) {
    done = total - runners.length + Math.floor((frame / frames) * runners.length);
    report('live', null);
    const live = measured.filter(({ runner }) => runner.key.threads === 1);
    for (const { runner, liveUs } of live) {
      await sleep(FRAME_MS / live.length);
      await attempt(runner, async () => {
        liveUs.push(await runner.inferNext());
      });
    }
  }

  return {
    rows: measured.map((one) => toRow(one, measured, tickUs)),
    failures,
    probabilities: new Map(
      measured.map(({ runner, probabilities }) => [rowId(runner.key), probabilities]),
    ),
  };
}

/** Every other round goes backwards, so that no engine always comes after the same one. */
function inTurn<T>(all: readonly T[], round: number): readonly T[] {
  return round % 2 === 0 ? all : all.toReversed();
}

/** Long beside a browser's clock, short beside a processor's time slice. */
const STRETCH_US = 2_000;

/** The reference for the others' probabilities. */
const ORT = { engine: 'ort', threads: 1 } as const;

/** Measurements of one engine. */
export type Measured = {
  readonly key: RowKey;
  readonly start: BenchmarkStart;
  readonly probabilities: readonly number[];
  /** Each frame's microseconds in each counted round. */
  readonly turns: Float32Array[];
  /** Frames that came one at a time. */
  readonly liveUs: number[];
};

/** A row of the table; `all` holds the one to compare with. `tickUs` is the clock's step. */
function toRow(one: Measured, all: readonly Measured[], tickUs: number): BenchmarkRow {
  const { key, start, turns, liveUs } = one;
  const frameUs = turns.flatMap((turn) => [...turn]);
  const p = (share: number) => percentile(frameUs, share, tickUs);
  return {
    ...key,
    xRealtime: median(turns.flatMap(speedsOf)),
    usPerFrame: { p50: p(0.5), p95: p(0.95), p99: p(0.99) },
    ...start,
    live: liveUs.length > 0 ? liveCost(liveUs) : null,
    maxDifference: differenceFromOrt(one, all),
  };
}

/**
 * Times real time in one stretch of a round after the other. Their median is what the engine does
 * when it may run: another program's turn on the processor spoils a stretch, and shows in p99.
 */
function speedsOf(frameUs: Float32Array): number[] {
  const speeds: number[] = [];
  let us = 0;
  let frames = 0;
  for (const frame of frameUs) {
    us += frame;
    frames += 1;
    if (us < STRETCH_US) continue;
    speeds.push((frames * FRAME_MS * 1_000) / us);
    us = 0;
    frames = 0;
  }
  return speeds;
}

/** The mean, since the sum is the cost. The first frames, when all is cold, are left out. */
function liveCost(liveUs: readonly number[]): LiveCost {
  const counted = liveUs.slice(Math.min(3, liveUs.length - 1));
  const usPerFrame = counted.reduce((sum, us) => sum + us, 0) / counted.length;
  return { usPerFrame, coreShare: usPerFrame / (FRAME_MS * 1_000) };
}

function differenceFromOrt(one: Measured, all: readonly Measured[]): number | null {
  const reference = all.find(({ key }) => rowId(key) === rowId(ORT));
  if (!reference) return null;
  return one.probabilities.reduce((largest, probability, frame) => {
    return Math.max(largest, Math.abs(probability - (reference.probabilities[frame] ?? 0)));
  }, 0);
}

/**
 * The value below which a share of all values lies, 0 to 1; NaN when there are none. A clock that
 * ticks gives many equal values: they are taken as spread evenly over one tick around the value,
 * the usual estimate for grouped data, so that the answer is finer than the clock. A tick of 0
 * takes values as they are.
 */
export function percentile(values: ArrayLike<number>, share: number, tick = 0): number {
  const sorted = Float64Array.from(values).sort();
  if (sorted.length === 0) return Number.NaN;
  const rank = Math.min(1, Math.max(0, share)) * (sorted.length - 1);
  const value = sorted[Math.round(rank)] ?? Number.NaN;
  let first = Math.round(rank);
  let last = first;
  while (first > 0 && sorted[first - 1] === value) first -= 1;
  while (last < sorted.length - 1 && sorted[last + 1] === value) last += 1;
  const within = (rank - first + 0.5) / (last - first + 1);
  return Math.max(0, value + (within - 0.5) * tick);
}

/** The middle value. */
export function median(values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values).sort();
  const middle = (sorted.length - 1) / 2;
  const below = sorted[Math.floor(middle)] ?? Number.NaN;
  const above = sorted[Math.ceil(middle)] ?? Number.NaN;
  return (below + above) / 2;
}
