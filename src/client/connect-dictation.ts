import { startWorker } from '../assets/start-worker.ts';
import type { CapturePort } from '../core/contracts/capture-port.ts';
import type { Dictation } from '../core/contracts/dictation.ts';
import type { WorkerSetup } from '../core/contracts/worker-api.ts';
import { browserClock } from '../platform/browser-clock.ts';
import { newId } from '../platform/ids.ts';
import { createCaptureReports } from './capture-reports.ts';
import { createDictationController } from './dictation-controller.ts';
import { createStorageKeeper, watchPage } from './page-life.ts';
import { createSnapshotStore } from './snapshot-store.ts';
import { createWorkerConnection } from './worker-connection.ts';

/** Joins a microphone and the dictation worker, whose script is at `worker`, into a `Dictation`. */
export function connectDictation(
  capture: CapturePort<MessagePort>,
  worker: string,
  setup: WorkerSetup,
): Dictation {
  const store = createSnapshotStore();
  const holder = { ...setup };
  const connection = createWorkerConnection({
    // The worker's name is its setup: a message would wait for this thread to pass it on.
    createWorker: () => startWorker(worker, JSON.stringify(holder)),
    store,
    clock: browserClock,
    log: console,
  });
  const reports = createCaptureReports({ connection, log: console });
  const keeper = createStorageKeeper({
    storage: navigator.storage,
    store,
    clock: browserClock,
    log: console,
    tell: (isRaised) => (isRaised ? reports.raise : reports.clear)('storage-not-kept'),
  });
  const { leave, comeBack, ...controller } = createDictationController({
    connection,
    capture,
    store,
    clock: browserClock,
    log: console,
    engine: { engine: setup.engine },
    holder,
    storage: navigator.storage,
    newId,
    pageLanguages: () => [document.documentElement.lang, navigator.language],
    onRecording: keeper.onRecording,
  });
  const stopWatching = watchPage({ leave, comeBack }, connection, store, browserClock);
  return {
    ...controller,
    dispose() {
      stopWatching();
      keeper.dispose();
      controller.dispose();
    },
  };
}
