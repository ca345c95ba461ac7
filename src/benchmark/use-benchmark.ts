import { useCallback, useEffect, useRef, useState } from 'react';
import { assetAddresses } from '../assets/addresses.ts';
import { SAMPLE_RATE_HZ, samplesToMs } from '../core/audio/audio-format.ts';
import { downMix } from '../core/audio/samples.ts';
import { BENCHMARK_CASES } from '../core/contracts/benchmark.ts';
import { DikteraError, type ErrorInfo, toErrorInfo } from '../core/errors.ts';
import { type BenchmarkReport, clockTickUs, thisMachine } from './report.ts';
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

const pageBaseUrl = new URL(import.meta.env.BASE_URL, document.baseURI).href;

/** Starts, follows and stops the benchmark. */
export function useBenchmark() {
  const [state, setState] = useState<BenchmarkState>({ kind: 'idle' });
  const running = useRef<AbortController | null>(null);

  /** Runs with the user's file, or with the built-in sample. Harmless while it runs. */
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

  /** Ends it at once. */
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

/** The built-in sample: two spoken sentences. */
const BUILT_IN = 'benchmark-speech.wav';

/** More of a file than this is not used: every engine hears it all once, the slow ones, too. */
export const MAX_AUDIO_SECONDS = 300;

/** Audio to measure with, 16 kHz mono. */
export type BenchmarkAudio = {
  readonly name: string;
  readonly samples: Float32Array;
  /** The file was longer, and only its beginning is used. */
  readonly isCut: boolean;
};

/** Fetches and decodes the built-in sample. Throws `asset-unreachable` or `asset-wrong`. */
export async function builtInAudio(pageBaseUrl: string): Promise<BenchmarkAudio> {
  const address = new URL(BUILT_IN, pageBaseUrl).href;
  const response = await fetch(address).catch((cause: unknown) => {
    throw new DikteraError('asset-unreachable', `${address} could not be fetched`, { cause });
  });
  if (!response.ok) {
    throw new DikteraError('asset-unreachable', `${address}: HTTP status ${response.status}`);
  }
  return decodeAudio(BUILT_IN, await response.arrayBuffer());
}

/** Decodes a file of any kind the browser plays. Throws `asset-wrong` when it can't. */
export async function decodeAudio(name: string, file: ArrayBuffer): Promise<BenchmarkAudio> {
  const context = new OfflineAudioContext(1, 1, SAMPLE_RATE_HZ);
  const decoded = await context.decodeAudioData(file).catch((cause: unknown) => {
    throw new DikteraError('asset-wrong', `${name} is no audio that this browser plays`, { cause });
  });
  const length = Math.min(decoded.length, MAX_AUDIO_SECONDS * SAMPLE_RATE_HZ);
  if (length === 0) throw new DikteraError('asset-wrong', `${name} holds no audio`);
  const channels = Array.from({ length: decoded.numberOfChannels }, (_, channel) =>
    decoded.getChannelData(channel),
  );
  const samples = new Float32Array(length);
  downMix(channels, 0, length, samples);
  return { name, samples, isCut: decoded.length > length };
}
