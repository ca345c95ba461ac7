import { expose } from 'comlink';
import type { BenchmarkWorkerApi } from '../src/core/benchmark.ts';
import { DikteraError } from '../src/core/errors.ts';
import { loadBenchmarkEngine } from './benchmark/benchmark-engine.ts';
import { createBenchmarkWorker } from './benchmark/benchmark-worker.ts';
import { createOfflineBenchmark } from './benchmark/offline-benchmark.ts';
import { createHttpClient } from './http/http-client.ts';
import { createOfflineEngine } from './offline/offline-engine.ts';
import { systemClock } from './system-clock.ts';

const http = createHttpClient({ clock: systemClock });
const stopwatch = { nowMs: () => performance.now(), fetchedBytes };

/** From the browser's own records; 0 for what it does not tell. */
function fetchedBytes(): number {
  return performance
    .getEntriesByType('resource')
    .filter((entry) => entry instanceof PerformanceResourceTiming)
    .reduce((total, { encodedBodySize }) => total + encodedBodySize, 0);
}

let started: BenchmarkWorkerApi | null = null;

function bench(): BenchmarkWorkerApi {
  if (!started) throw new DikteraError('wrong-phase', 'The engine has not been started');
  return started;
}

const api: BenchmarkWorkerApi = {
  start(what, assetBaseUrl) {
    started =
      what.engine === 'kernel' && what.threads > 1
        ? createOfflineBenchmark({
            ...stopwatch,
            load: ({ model, threads }) => createOfflineEngine({ model, threads, http }),
          })
        : createBenchmarkWorker({
            ...stopwatch,
            load: (given) => loadBenchmarkEngine(given, { assetBaseUrl, http }),
          });
    return started.start(what, assetBaseUrl);
  },
  setAudio: (samples) => bench().setAudio(samples),
  judgeAll: () => bench().judgeAll(),
  run: (budgetMs) => bench().run(budgetMs),
  judgeNext: () => bench().judgeNext(),
};

expose(api);
