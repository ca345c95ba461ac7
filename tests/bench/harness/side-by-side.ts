import { assetAddresses } from '../../../src/assets/addresses.ts';
import { clockTickUs, thisMachine } from '../../../src/benchmark/report.ts';
import {
  type BenchmarkPlan,
  type BenchmarkRunner,
  runBenchmark,
} from '../../../src/benchmark/run-benchmark.ts';
import { builtInAudio } from '../../../src/benchmark/use-benchmark.ts';
import { createWorkerRunner } from '../../../src/benchmark/worker-runner.ts';
import { BENCHMARK_CASES } from '../../../src/core/contracts/benchmark.ts';
import { createVadWebRunner } from './vad-web-runner.ts';

const base = new URL('/', location.href).href;
const { forWorker: assets } = assetAddresses();

/** Ours in their workers and the peer on this page, in one run. */
async function measure(plan: BenchmarkPlan) {
  const audio = await builtInAudio(base);
  const runners: BenchmarkRunner[] = [
    ...BENCHMARK_CASES.map((what) => createWorkerRunner(what, assets)),
    createVadWebRunner(),
  ];
  const { rows, failures } = await runBenchmark(audio.samples, plan, {
    runners,
    onProgress: () => undefined,
    signal: new AbortController().signal,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    tickUs: clockTickUs(),
  });
  const seconds = audio.samples.length / 16_000;
  return { machine: thisMachine(), audio: { name: audio.name, seconds }, rows, failures };
}

export type SideBySide = Awaited<ReturnType<typeof measure>>;

Object.assign(globalThis, { measure });
document.querySelector('#state')?.replaceChildren('ready');
