import type { Clock } from '../core/clock.ts';
import { type DikteraError, toErrorInfo } from '../core/errors.ts';
import type { WorkerSetup } from '../core/worker-api.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import { startWorker, type WorkerClient } from './worker-client.ts';

export type SupervisorPorts = {
  readonly createWorker: () => Worker;
  readonly setup: WorkerSetup;
  readonly store: SnapshotStore;
  readonly clock: Clock;
};

/** Keeps a dictation worker at hand: starts it when first needed, and anew after a crash. */
export type Supervisor = {
  /** The running worker, its model loading. */
  worker(): WorkerClient;
  /** Calls `listener` after a crash, when a new worker is there already. */
  onCrash(listener: (error: DikteraError) => void): void;
  dispose(): void;
};

export function createSupervisor({
  createWorker,
  setup,
  store,
  clock,
}: SupervisorPorts): Supervisor {
  let current: WorkerClient | null = null;
  const crashListeners = new Set<(error: DikteraError) => void>();

  const start = (): WorkerClient => {
    const client = startWorker({
      createWorker,
      clock,
      onPatch: (patch) => {
        if (client === current) store.apply(patch);
      },
      onCrash: (error) => {
        const info = toErrorInfo(error, 'worker-crashed');
        store.dispatch({ kind: 'worker-lost', error: info });
        current = null;
        // The new worker's snapshot replaces the old one's: it must hold the notice too.
        const { api } = start();
        void api.report({ kind: 'notice', notice: 'worker-crashed', error: info });
        for (const listener of crashListeners) listener(error);
      },
    });
    current = client;
    void client.api.prepare(setup);
    return client;
  };

  return {
    worker: () => current ?? start(),
    onCrash(listener) {
      crashListeners.add(listener);
    },
    dispose() {
      current?.dispose();
      current = null;
    },
  };
}
