import { type Remote, transfer, wrap } from 'comlink';
import { createDeferred } from '../core/async.ts';
import type { WorkerAssets } from '../core/contracts/asset-addresses.ts';
import type { BenchmarkCase, BenchmarkWorkerApi } from '../core/contracts/benchmark.ts';
import { DikteraError } from '../core/errors.ts';
import type { BenchmarkRunner } from './run-benchmark.ts';

/** An engine in a worker of its own, made when it is started. */
export function createWorkerRunner(what: BenchmarkCase, assets: WorkerAssets): BenchmarkRunner {
  let worker: Worker | null = null;
  let api: Remote<BenchmarkWorkerApi> | null = null;
  const crashed = createDeferred<never>();
  crashed.promise.catch(() => {}); // Nobody may be waiting just now.

  /** Comlink waits for ever for a worker that died. */
  function call<T>(ask: (api: Remote<BenchmarkWorkerApi>) => Promise<T>): Promise<T> {
    if (!api) throw new DikteraError('wrong-phase', 'The engine has not been started');
    return Promise.race([ask(api), crashed.promise]);
  }

  return {
    key: what,
    start() {
      worker = createWorker();
      worker.onerror = (event) => {
        crashed.reject(
          new DikteraError('worker-crashed', event.message || 'The worker could not be loaded'),
        );
      };
      api = wrap<BenchmarkWorkerApi>(worker);
      return call((remote) => remote.start(what, assets));
    },
    setAudio(samples) {
      const copy = samples.slice();
      return call((remote) => remote.setAudio(transfer(copy, [copy.buffer])));
    },
    inferAll: () => call((remote) => remote.inferAll()),
    run: (budgetMs) => call((remote) => remote.run(budgetMs)),
    inferNext: () => call((remote) => remote.inferNext()),
    dispose() {
      worker?.terminate();
      worker = null;
      api = null;
    },
  };
}

/** The bundler finds the worker by this very form; only its address is known here. */
function createWorker(): Worker {
  return new Worker(new URL('../../workers/benchmark.worker.ts', import.meta.url), {
    type: 'module',
    name: 'diktera-benchmark',
  });
}
