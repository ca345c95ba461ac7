import * as Comlink from 'comlink';
import { untilAborted } from '../core/async.ts';
import type { Clock } from '../core/clock.ts';
import type { DictationWorkerApi } from '../core/contracts/worker-api.ts';
import { DikteraError } from '../core/errors.ts';
import { createHeartbeat } from '../core/heartbeat.ts';
import type { SnapshotPatch } from '../core/session/snapshot-patch.ts';
import { watchLifeLock } from './life-lock.ts';

/** Seconds without a sign: words are at stake while recording, and only requests under way else. */
const SILENCE_LIMIT_TICKS = { recording: 5, else: 10 } as const;

/** One running worker. */
export type WorkerClient = {
  readonly api: Comlink.Remote<DictationWorkerApi<MessagePort>>;
  /**
   * The answer of a call, or a DikteraError when the worker is gone first, `worker-crashed` or, if
   * it was disposed of, `disposed`: Comlink alone would wait for ever.
   */
  call<T>(answer: Promise<T>): Promise<T>;
  /** Has the page told the snapshot from now on. */
  subscribe(): void;
  /** Ends the worker; what it has not answered rejects. */
  dispose(): void;
};

export type WorkerClientPorts = {
  readonly createWorker: () => Worker;
  readonly clock: Clock;
  readonly isRecording: () => boolean;
  /** No session is open, and nothing is waited for. */
  readonly isAtRest: () => boolean;
  readonly onPatch: (patch: SnapshotPatch) => void;
  /** Told once, when the worker is no more. It has been ended by then: two never work at once. */
  readonly onCrash: (error: DikteraError) => void;
};

/** Starts a worker and watches over it. */
export function startWorkerClient(ports: WorkerClientPorts): WorkerClient {
  const worker = ports.createWorker();
  const api = Comlink.wrap<DictationWorkerApi<MessagePort>>(worker);
  let isOver = false;
  const gone = new AbortController();

  const heartbeat = createHeartbeat({
    clock: ports.clock,
    ping: () => api.ping(),
    silenceLimitTicks: () =>
      ports.isRecording() ? SILENCE_LIMIT_TICKS.recording : SILENCE_LIMIT_TICKS.else,
    isAtRest: ports.isAtRest,
    onSilent: (ticks) => crash(`The dictation worker has not answered for ${ticks} s`),
  });
  const stopLifeWatch = watchLifeLock(
    (name) => api.holdLifeLock(name),
    () => crash('The dictation worker is gone'),
  );

  function end(why: DikteraError): void {
    isOver = true;
    heartbeat.stop();
    stopLifeWatch();
    worker.terminate();
    gone.abort(why);
  }

  function crash(message: string): void {
    if (isOver) return;
    const error = new DikteraError('worker-crashed', message);
    end(error);
    ports.onCrash(error);
  }

  // An error thrown inside does not end a worker; a script that does not load never starts one.
  worker.addEventListener('error', (event) => {
    console.error('The dictation worker reported an error', event.message);
    heartbeat.doubt();
  });
  worker.addEventListener('messageerror', () => {
    console.error('The dictation worker sent something that cannot be read');
    heartbeat.doubt();
  });

  return {
    api,
    // A race with a promise of the worker's end would keep every answer until then.
    call(answer) {
      heartbeat.attend();
      return untilAborted(answer, gone.signal);
    },
    subscribe() {
      const onPatch = (patch: SnapshotPatch): void => {
        heartbeat.sign();
        ports.onPatch(patch);
        if (!ports.isAtRest()) heartbeat.attend();
      };
      void api.subscribe(Comlink.proxy(onPatch));
    },
    dispose() {
      if (!isOver) end(disposedError());
    },
  };
}

/**
 * Stands where a worker was, once the dictation is disposed of: hears everything and answers
 * nothing.
 */
export function goneWorker(): WorkerClient {
  const { port1 } = new MessageChannel();
  return {
    api: Comlink.wrap<DictationWorkerApi<MessagePort>>(port1),
    call: () => Promise.reject(disposedError()),
    subscribe: () => {},
    dispose: () => {},
  };
}

function disposedError(): DikteraError {
  return new DikteraError('disposed', 'The dictation has been disposed of');
}
