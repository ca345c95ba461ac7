import { FRAME_SAMPLES, SAMPLE_RATE_HZ } from '../core/audio-format.ts';
import type { BenchmarkStart, BenchmarkTurn } from '../core/benchmark.ts';
import { median, percentile } from '../core/percentile.ts';
import type { BenchmarkRow, LiveCost, RowKey } from './report.ts';
import { rowId } from './report.ts';

const FRAME_SECONDS = FRAME_SAMPLES / SAMPLE_RATE_HZ;

/** One engine that can be measured, wherever it runs. One call at a time. */
export type BenchmarkRunner = {
  readonly key: RowKey;
  start(): Promise<BenchmarkStart>;
  setAudio(samples: Float32Array): Promise<void>;
  judgeAll(): Promise<readonly number[]>;
  run(budgetMs: number): Promise<BenchmarkTurn>;
  judgeNext(): Promise<number>;
  /** Ends whatever it is doing; calls that run may never be answered. */
  dispose(): void;
};

/** How much is measured. */
export type BenchmarkPlan = {
  /** Counted rounds; one more runs before them. */
  readonly rounds: number;
  /** How long each engine judges in a round. */
  readonly turnMs: number;
  /** How long one frame comes every 96 ms, each engine in its turn; 0 leaves it out. */
  readonly liveMs: number;
};

export const FULL_PLAN: BenchmarkPlan = { rounds: 5, turnMs: 250, liveMs: 5_000 };

/** What is going on, for a progress bar: `done` of `total` steps. */
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
  /** What could not be measured, and why. */
  readonly failures: readonly { readonly key: RowKey; readonly message: string }[];
  /** Each measured row's probability for each frame, by `rowId`. */
  readonly probabilities: ReadonlyMap<string, readonly number[]>;
};

export type BenchmarkPorts = {
  readonly runners: readonly BenchmarkRunner[];
  readonly onProgress: (progress: BenchmarkProgress) => void;
  /** Ends it: the promise then rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** Resolves after so many milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
  /** How coarse the clock of the frames is, in microseconds. */
  readonly tickUs: number;
};

type Measured = {
  readonly runner: BenchmarkRunner;
  readonly start: BenchmarkStart;
  readonly probabilities: readonly number[];
  readonly turns: BenchmarkTurn[];
  readonly liveUs: number[];
};

/**
 * Measures engines fairly: each starts alone; then all take turns, round after round, so that what slows
 * the computer down slows all of them; the first round is thrown away. An engine that fails is left out
 * and reported. All runners are disposed of at the end, whatever it is.
 */
export async function runBenchmark(
  samples: Float32Array,
  plan: BenchmarkPlan,
  ports: BenchmarkPorts,
): Promise<BenchmarkOutcome> {
  const { runners, signal } = ports;
  try {
    return await untilAborted(signal, measure(samples, plan, ports));
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
  const measured: Measured[] = [];
  for (const runner of runners) {
    report('starting', runner.key);
    try {
      const start = await runner.start();
      await runner.setAudio(samples);
      const probabilities = await runner.judgeAll();
      measured.push({ runner, start, probabilities, turns: [], liveUs: [] });
    } catch (error) {
      runner.dispose();
      failures.push({ key: runner.key, message: messageOf(error) });
    }
    done += 1;
  }

  for (let round = 0; round <= plan.rounds; round++) {
    for (const { runner, turns } of inTurn(measured, round)) {
      report('measuring', runner.key, round);
      const turn = await runner.run(plan.turnMs);
      if (round > 0) turns.push(turn);
      done += 1;
    }
  }

  const live = measured.filter(({ runner }) => runner.key.threads === 1);
  const frames = Math.floor(plan.liveMs / (FRAME_SECONDS * 1_000));
  const pauseMs = (FRAME_SECONDS * 1_000) / Math.max(1, live.length);
  for (let frame = 0; frame < frames; frame++) {
    done = total - runners.length + Math.floor((frame / frames) * runners.length);
    report('live', null);
    for (const { runner, liveUs } of live) {
      await sleep(pauseMs);
      liveUs.push(await runner.judgeNext());
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

/** Every other round goes backwards, so that nobody always comes after the same neighbour. */
function inTurn<T>(all: readonly T[], round: number): readonly T[] {
  return round % 2 === 0 ? all : all.toReversed();
}

function toRow(one: Measured, all: readonly Measured[], tickUs: number): BenchmarkRow {
  const { runner, start, turns, liveUs } = one;
  const frameUs = turns.flatMap((turn) => [...turn.frameUs]);
  const p = (share: number) => percentile(frameUs, share, tickUs);
  return {
    ...runner.key,
    xRealtime: median(
      turns.map(({ frames, elapsedMs }) => (frames * FRAME_SECONDS * 1_000) / elapsedMs),
    ),
    usPerFrame: { p50: p(0.5), p95: p(0.95), p99: p(0.99) },
    ...start,
    live: liveUs.length > 0 ? liveCost(liveUs) : null,
    maxDifference: differenceFromOrt(one, all),
  };
}

/** The mean, since what is paid is the sum. The first frames, when all is cold, are left out. */
function liveCost(liveUs: readonly number[]): LiveCost {
  const counted = liveUs.slice(Math.min(3, liveUs.length - 1));
  const usPerFrame = counted.reduce((sum, us) => sum + us, 0) / counted.length;
  return { usPerFrame, coreShare: usPerFrame / (FRAME_SECONDS * 1e6) };
}

function differenceFromOrt(one: Measured, all: readonly Measured[]): number | null {
  const { model } = one.runner.key;
  const reference = all.find(({ runner }) => rowId(runner.key) === rowId({ ...ORT, model }));
  if (!reference) return null;
  return one.probabilities.reduce((largest, probability, frame) => {
    return Math.max(largest, Math.abs(probability - (reference.probabilities[frame] ?? 0)));
  }, 0);
}

const ORT = { engine: 'ort', threads: 1 } as const;

/** What a promise gives, unless the signal comes first: then its reason is thrown. */
function untilAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
