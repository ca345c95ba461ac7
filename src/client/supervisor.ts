import type { Clock } from '../core/clock.ts';
import { type DikteraError, toErrorInfo } from '../core/errors.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import { goneWorker, startWorkerClient, type WorkerClient } from './worker-client.ts';

export type SupervisorPorts = {
  readonly createWorker: () => Worker;
  readonly store: SnapshotStore;
  readonly clock: Clock;
};

/**
 * Told of a worker that died, with the one that takes its place and has not told anything yet. True
 * if the session at hand goes on there: then the page goes on showing it.
 */
export type CrashListener = (error: DikteraError, next: WorkerClient) => boolean;

/** Keeps a dictation worker at hand: starts it when first needed, and anew after a crash. */
export type Supervisor = {
  /** The running worker, which loads its model by itself. */
  worker(): WorkerClient;
  /** Whether one is running. */
  hasWorker(): boolean;
  /** Sets who is told of a crash. */
  onCrash(listener: CrashListener): void;
  /**
   * Ends the worker, and starts no other before `revive`: what is asked meanwhile rejects with
   * `disposed`.
   */
  dispose(): void;
  /** A worker is wanted again. */
  revive(): void;
};

export function createSupervisor(ports: SupervisorPorts): Supervisor {
  const { createWorker, store, clock } = ports;
  let current: WorkerClient | null = null;
  let onCrash: CrashListener = () => false;

  const start = (crash: DikteraError | null): WorkerClient => {
    const client = startWorkerClient({
      createWorker,
      clock,
      isRecording: () => store.getSnapshot().session.isRecording,
      isAtRest: () => store.getSnapshot().session.phase === 'idle',
      onPatch: (patch) => {
        if (client === current) store.apply(patch);
      },
      onCrash: start,
    });
    current = client;
    if (crash) succeed(client, crash);
    // Last, so that its first snapshot holds what goes on in it.
    client.subscribe();
    return client;
  };

  const succeed = (client: WorkerClient, crash: DikteraError): void => {
    if (onCrash(crash, client)) return;
    const error = toErrorInfo(crash, 'worker-crashed');
    store.dispatch({ kind: 'worker-lost', error });
    // The new worker's snapshot replaces the old one's: it must hold the notice too.
    void client.api.report({ kind: 'notice', notice: 'worker-crashed', error });
  };

  return {
    worker: () => current ?? start(null),
    hasWorker: () => current !== null,
    onCrash(listener) {
      onCrash = listener;
    },
    dispose() {
      current?.dispose();
      current = goneWorker();
    },
    revive() {
      current = null;
    },
  };
}
