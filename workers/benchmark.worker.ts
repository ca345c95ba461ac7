import { expose } from 'comlink';
import { browserClock } from '../src/platform/browser-clock.ts';
import { loadBenchmarkEngine } from './benchmark/benchmark-engine.ts';
import { createBenchmarkWorker } from './benchmark/benchmark-worker.ts';
import { createHttpClient } from './http/http-client.ts';

const http = createHttpClient({ clock: browserClock });

/** From the browser's own records; 0 for what it does not tell. */
function fetchedBytes(): number {
  return performance
    .getEntriesByType('resource')
    .filter((entry) => entry instanceof PerformanceResourceTiming)
    .reduce((total, { encodedBodySize }) => total + encodedBodySize, 0);
}

expose(
  createBenchmarkWorker({
    load: (what, assets) => loadBenchmarkEngine(what, { assets, http }),
    nowMs: () => performance.now(),
    fetchedBytes,
  }),
);
