import { type Remote, transfer, wrap } from 'comlink';
import { createDeferred } from '../core/async.ts';
import { samplesToMs } from '../core/audio/audio-format.ts';
import type { Clock } from '../core/clock.ts';
import type { WorkerAssets } from '../core/contracts/asset-addresses.ts';
import type {
  BenchmarkCase,
  BenchmarkStart,
  BenchmarkWorkerApi,
} from '../core/contracts/benchmark.ts';
import { DikteraError } from '../core/errors.ts';
import { createHeartbeat } from '../core/heartbeat.ts';
import { browserClock } from '../platform/browser-clock.ts';
import { withDeadline } from '../platform/deadline.ts';
import type { BenchmarkRunner } from './run-benchmark.ts';

/** Beyond what it is asked to do. */
const ANSWER_DEADLINE_MS = 30_000;

type Ask<T> = (api: Remote<BenchmarkWorkerApi>) => Promise<T>;

/**
 * An engine in a worker of its own, made when it is started. One that falls silent as it starts is
 * given up, and started once more in another: in Firefox on a busy computer onnxruntime can wait for
 * ever for threads of its own (one run in five, three at a time on two cores).
 *
 * Throws `worker-crashed`, `worker-timeout`, `disposed` and what the engine throws.
 */
export function createWorkerRunner(
  what: BenchmarkCase,
  assets: WorkerAssets,
  /** Tests bring their own. */
  {
    clock = browserClock,
    createWorker = createBenchmarkWorker,
  }: { readonly clock?: Clock; readonly createWorker?: () => Worker } = {},
): BenchmarkRunner {
  let worker: Worker | null = null;
  let api: Remote<BenchmarkWorkerApi> | null = null;
  let audioMs = 0;
  const ended = createDeferred<never>();
  ended.promise.catch(() => {}); // No call may be waiting just now.

  function open(): void {
    worker = createWorker();
    worker.onerror = (event) => {
      ended.reject(
        new DikteraError('worker-crashed', event.message || 'The worker could not be loaded'),
      );
    };
    api = wrap<BenchmarkWorkerApi>(worker);
  }

  function close(): void {
    worker?.terminate();
    worker = null;
    api = null;
  }

  /** Comlink waits for ever for a worker that is gone. */
  function call<T>(ask: Ask<T>): Promise<T> {
    if (!api) throw new DikteraError('wrong-phase', 'The engine has not been started');
    return Promise.race([ask(api), ended.promise]);
  }

  /** A worker that computes answers nothing else meanwhile: here the time is all there is to go by. */
  function callWithin<T>(budgetMs: number, ask: Ask<T>): Promise<T> {
    const deadlineMs = budgetMs + ANSWER_DEADLINE_MS;
    return withDeadline(clock, call(ask), deadlineMs, () => {
      throw new DikteraError('worker-timeout', `The worker has not answered for ${deadlineMs} ms`);
    });
  }

  function startOnce(): Promise<BenchmarkStart> {
    open();
    return unlessSilent(
      clock,
      call((remote) => remote.start(what, assets)),
      () => call((remote) => remote.ping()),
    );
  }

  return {
    key: what,
    async start() {
      try {
        return await startOnce();
      } catch (error) {
        const isSilent = error instanceof DikteraError && error.code === 'worker-timeout';
        if (!isSilent) throw error;
        close();
        return startOnce();
      }
    },
    setAudio(samples) {
      const copy = samples.slice();
      audioMs = samplesToMs(samples.length);
      return callWithin(0, (remote) => remote.setAudio(transfer(copy, [copy.buffer])));
    },
    // Slower than the sound itself is no use.
    inferAll: () => callWithin(audioMs, (remote) => remote.inferAll()),
    run: (budgetMs) => callWithin(budgetMs, (remote) => remote.run(budgetMs)),
    inferNext: () => callWithin(0, (remote) => remote.inferNext()),
    dispose() {
      close();
      ended.reject(new DikteraError('disposed', 'The engine has been disposed of'));
    },
  };
}

/** The bundler finds the worker by this very form; only its address is known here. */
function createBenchmarkWorker(): Worker {
  return new Worker(new URL('../../workers/benchmark.worker.ts', import.meta.url), {
    type: 'module',
    name: 'diktera-benchmark',
  });
}

/** Opening a model, or inferring the test clip, keeps a worker from answering: seconds, where it is slow. */
const SILENT_TICKS = 30;

/**
 * The result of `work`, unless its worker answers no `ping` for half a minute: then it throws
 * `worker-timeout`.
 */
function unlessSilent<T>(clock: Clock, work: Promise<T>, ping: () => Promise<void>): Promise<T> {
  return new Promise((resolve, reject) => {
    const heartbeat = createHeartbeat({
      clock,
      ping,
      silenceLimitTicks: () => SILENT_TICKS,
      isAtRest: () => false,
      onSilent: (ticks) => {
        const message = `The worker has not answered ${ticks} pings, a second apart`;
        reject(new DikteraError('worker-timeout', message));
      },
    });
    work.then(resolve, reject).finally(() => heartbeat.stop());
  });
}
