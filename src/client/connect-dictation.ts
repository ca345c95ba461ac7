import * as Comlink from 'comlink';
import { startWorker } from '../assets/start-worker.ts';
import type { CapturePort } from '../core/contracts/capture-port.ts';
import type { Dictation, RequestHeaders } from '../core/contracts/dictation.ts';
import type { WorkerSetup } from '../core/contracts/worker-api.ts';
import { browserClock } from '../platform/browser-clock.ts';
import { newId } from '../platform/ids.ts';
import { createCaptureReports } from './capture-reports.ts';
import { createDictationController } from './dictation-controller.ts';
import { watchPage } from './page-life.ts';
import { createSnapshotStore } from './snapshot-store.ts';
import type { StorageKeeper } from './storage-keeper.ts';
import { createWorkerConnection, type RemoteApi } from './worker-connection.ts';

/** The first frames have been judged by then. */
const HEARD_AFTER_MS = 1_000;

/** The keeper is fetched by then where nobody records: something may wait from earlier days. */
const KEEPER_AFTER_MS = 10_000;

/**
 * Joins a microphone and the dictation worker, whose script is at `worker`, into a `Dictation`, but
 * for its options: `setUp` changes the setup, and starts the worker anew if there is one. It answers
 * false, and does not ask for the change, while a recording is not over.
 */
export function connectDictation(
  capture: CapturePort<MessagePort>,
  worker: () => string,
  setup: WorkerSetup,
  headers?: RequestHeaders,
): Omit<Dictation, 'setOptions'> & {
  setUp(change: () => WorkerSetup): boolean;
  /** Signs requests with others from now on. */
  sign(headers: RequestHeaders): void;
} {
  const store = createSnapshotStore();
  const holder: WorkerSetup = { ...setup, isSigned: headers !== undefined };
  let given = headers;
  const sign = (api: RemoteApi) =>
    api.signRequests(
      Comlink.proxy(async () => (typeof given === 'function' ? given() : { ...given })),
    );
  const connection = createWorkerConnection({
    // The worker's name is its setup: a message would wait for this thread to pass it on.
    createWorker: () => startWorker(worker(), JSON.stringify(holder)),
    onStart: (api) => void (given && sign(api)),
    store,
    clock: browserClock,
    log: console,
  });
  const reports = createCaptureReports({ connection, log: console });
  let keeper: Promise<StorageKeeper> | null = null;
  const useKeeper = (use: (keeper: StorageKeeper) => void): void => {
    keeper ??= import('./storage-keeper.ts').then((script) =>
      script.createStorageKeeper({
        storage: navigator.storage,
        store,
        clock: browserClock,
        log: console,
        tell: (isRaised) => (isRaised ? reports.raise : reports.clear)('storage-not-kept'),
      }),
    );
    keeper.then(use, () => {
      // Fetched again by the next recording.
      keeper = null;
    });
  };
  let cancelKeeper = browserClock.after(KEEPER_AFTER_MS, () => useKeeper(() => {}));
  const { leave, comeBack, renew, ...controller } = createDictationController({
    connection,
    capture,
    store,
    clock: browserClock,
    log: console,
    engine: holder,
    holder,
    storage: navigator.storage,
    newId,
    pageLanguages: () => [document.documentElement.lang, navigator.language],
    onRecording() {
      cancelKeeper();
      cancelKeeper = browserClock.after(HEARD_AFTER_MS, () => useKeeper((it) => it.onRecording()));
    },
  });
  const stopWatching = watchPage({ leave, comeBack }, connection, store, browserClock);
  return {
    ...controller,
    setUp: (change) => renew(() => void Object.assign(holder, change())),
    sign(headers) {
      given = headers;
      Object.assign(holder, { isSigned: true });
      if (connection.hasWorker()) connection.tell(sign);
    },
    dispose() {
      stopWatching();
      cancelKeeper();
      keeper?.then(
        (it) => it.dispose(),
        () => {},
      );
      controller.dispose();
    },
  };
}
