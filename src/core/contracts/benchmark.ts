import type { SpeechEngineKind } from '../speech/speech-engine.ts';
import type { WorkerAssets } from './asset-addresses.ts';

/** One way to run the model. */
export type BenchmarkCase = {
  readonly engine: SpeechEngineKind;
  /** 1, 2 or 4; the kernel has one. */
  readonly threads: number;
};

/** Everything that is measured, in the order in which it is shown. */
export const BENCHMARK_CASES: readonly BenchmarkCase[] = [
  { engine: 'kernel', threads: 1 },
  { engine: 'ort', threads: 1 },
  { engine: 'ort', threads: 2 },
  { engine: 'ort', threads: 4 },
];

/** The cost of starting an engine. */
export type BenchmarkStart = {
  /** From the request for the engine until its first frames were inferred correctly. */
  readonly startupMs: number;
  /** Bytes fetched, as transferred (compressed), without headers. */
  readonly bytes: number;
};

/** The worker's side of the benchmark: one engine in a worker of its own. One call at a time. */
export type BenchmarkWorkerApi = {
  /** Answers even while something is loading, but not during inference. */
  ping(): void;
  /** Fetches and tests the engine. Throws a DikteraError. */
  start(what: BenchmarkCase, assets: WorkerAssets): Promise<BenchmarkStart>;
  /**
   * Takes the audio, 16 kHz mono, at least one sample; the last frame is filled up with silence.
   */
  setAudio(samples: Float32Array): void;
  /** Runs over all of the audio once, from a clean state: the probability of each frame. */
  inferAll(): Promise<readonly number[]>;
  /**
   * Runs over frame after frame, from the beginning and round and round, for at least so long.
   * Gives each frame's time in microseconds, as fine as the browser's clock.
   */
  run(budgetMs: number): Promise<Float32Array>;
  /** Infers the next frame alone, as when somebody speaks; microseconds. */
  inferNext(): Promise<number>;
};
