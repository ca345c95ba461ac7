import { useCallback, useEffect, useRef, useState } from 'react';
import { assetAddresses } from '../assets/addresses.ts';
import { samplesToMs } from '../core/audio/audio-format.ts';
import { BENCHMARK_CASES } from '../core/contracts/benchmark.ts';
import { type ErrorInfo, toErrorInfo } from '../core/errors.ts';
import { type BenchmarkAudio, builtInAudio, decodeAudio } from './benchmark-audio.ts';
import { clockTickUs, thisMachine } from './machine.ts';
import type { BenchmarkReport } from './report.ts';
import {
  type BenchmarkOutcome,
  type BenchmarkProgress,
  FULL_PLAN,
  runBenchmark,
} from './run-benchmark.ts';
import { createWorkerRunner } from './worker-runner.ts';

/** A finished run: the report that can be saved, and what only the page shows. */
export type BenchmarkResult = {
  readonly report: BenchmarkReport;
  readonly outcome: BenchmarkOutcome;
  readonly audio: BenchmarkAudio;
};

export type BenchmarkState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'preparing' }
  | { readonly kind: 'running'; readonly progress: BenchmarkProgress }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly error: ErrorInfo }
  | { readonly kind: 'done'; readonly result: BenchmarkResult };

export type Benchmark = {
  readonly state: BenchmarkState;
  /** Runs with the user's file, or with the built-in sample. Harmless while it runs. */
  run(file: File | null): void;
  /** Ends it at once. */
  stop(): void;
};

const pageBaseUrl = new URL(import.meta.env.BASE_URL, document.baseURI).href;

/** Starts, follows and stops the benchmark. */
export function useBenchmark(): Benchmark {
  const [state, setState] = useState<BenchmarkState>({ kind: 'idle' });
  const running = useRef<AbortController | null>(null);

  const run = useCallback((file: File | null) => {
    if (running.current) return;
    const controller = new AbortController();
    running.current = controller;
    setState({ kind: 'preparing' });
    const onProgress = (progress: BenchmarkProgress) => {
      if (running.current === controller) setState({ kind: 'running', progress });
    };
    measure(file, controller.signal, onProgress)
      .then((result): BenchmarkState => ({ kind: 'done', result }))
      .catch((error: unknown): BenchmarkState => {
        if (controller.signal.aborted) return { kind: 'stopped' };
        return { kind: 'failed', error: toErrorInfo(error, 'engine-failed') };
      })
      .then((end) => {
        if (running.current !== controller) return;
        running.current = null;
        setState(end);
      });
  }, []);

  const stop = useCallback(() => running.current?.abort(), []);

  useEffect(
    () => () => {
      running.current?.abort();
      running.current = null;
    },
    [],
  );

  return { state, run, stop };
}

async function measure(
  file: File | null,
  signal: AbortSignal,
  onProgress: (progress: BenchmarkProgress) => void,
): Promise<BenchmarkResult> {
  const audio = file
    ? await decodeAudio(file.name, await file.arrayBuffer())
    : await builtInAudio(pageBaseUrl);
  signal.throwIfAborted();
  const { forWorker: assets } = assetAddresses();
  const outcome = await runBenchmark(audio.samples, FULL_PLAN, {
    runners: BENCHMARK_CASES.map((what) => createWorkerRunner(what, assets)),
    onProgress,
    signal,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    tickUs: clockTickUs(),
  });
  const report: BenchmarkReport = {
    kind: 'diktera-benchmark',
    machine: thisMachine(),
    date: new Date().toISOString(),
    audio: { name: audio.name, seconds: samplesToMs(audio.samples.length) / 1_000 },
    rows: outcome.rows,
  };
  return { report, outcome, audio };
}
