import * as Comlink from 'comlink';
import type { Clock } from '../core/clock.ts';
import { DikteraError } from '../core/errors.ts';
import type { SnapshotPatch } from '../core/snapshot-patch.ts';
import type { DictationWorkerApi } from '../core/worker-api.ts';

/** How often a living worker is asked for a sign, and how long it may take to give one. */
const PING_INTERVAL_MS = 2_000;
const PING_DEADLINE_MS = 5_000;
/** A page that slept sees its own timer before the worker's answer: one miss proves nothing. */
const MISSES_BEFORE_DEAD = 2;

/** One running worker. */
export type WorkerClient = {
  readonly api: Comlink.Remote<DictationWorkerApi<MessagePort>>;
  /**
   * The answer of a call, or a DikteraError `worker-crashed` when the worker dies first: Comlink alone
   * would wait for ever.
   */
  call<T>(answer: Promise<T>): Promise<T>;
  dispose(): void;
};

export type WorkerClientPorts = {
  readonly createWorker: () => Worker;
  readonly clock: Clock;
  readonly onPatch: (patch: SnapshotPatch) => void;
  /** Told once, when the worker does not answer any more. */
  readonly onCrash: (error: DikteraError) => void;
};

/** Starts a worker and watches over it. */
export function startWorker(ports: WorkerClientPorts): WorkerClient {
  const worker = ports.createWorker();
  const api = Comlink.wrap<DictationWorkerApi<MessagePort>>(worker);
  let isOver = false;
  let misses = 0;
  let cancelPing = (): void => {};
  let rejectCrashed = (_error: DikteraError): void => {};
  const crashed = new Promise<never>((_resolve, reject) => {
    rejectCrashed = reject;
  });
  crashed.catch(() => {}); // Nobody may be waiting just now.

  const end = (): void => {
    isOver = true;
    cancelPing();
    worker.terminate();
  };

  const crash = (cause: unknown): void => {
    if (isOver) return;
    const error = new DikteraError('worker-crashed', 'The dictation worker stopped answering', {
      cause,
    });
    end();
    rejectCrashed(error);
    ports.onCrash(error);
  };

  const schedulePing = (delayMs: number): void => {
    cancelPing();
    cancelPing = ports.clock.after(delayMs, ping);
  };

  const ping = (): void => {
    let isAnswered = false;
    void api.ping().then(() => {
      isAnswered = true;
      misses = 0;
      if (!isOver) schedulePing(PING_INTERVAL_MS);
    });
    cancelPing = ports.clock.after(PING_DEADLINE_MS, () => {
      if (isAnswered || isOver) return;
      misses += 1;
      if (misses >= MISSES_BEFORE_DEAD) crash(new Error(`No answer to ${misses} calls`));
      else ping();
    });
  };

  // An error thrown inside does not end a worker; a script that does not load never starts one.
  worker.addEventListener('error', (event) => {
    console.error('The dictation worker reported an error', event.message);
    if (!isOver) schedulePing(0);
  });
  void api.subscribe(Comlink.proxy(ports.onPatch));
  schedulePing(PING_INTERVAL_MS);

  return { api, call: (answer) => Promise.race([answer, crashed]), dispose: end };
}
