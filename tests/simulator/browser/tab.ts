import { createDictationController } from '../../../src/client/dictation-controller.ts';
import { type KeptPage, lookForEarlierWork } from '../../../src/client/page-life.ts';
import { createSnapshotStore, type SnapshotStore } from '../../../src/client/snapshot-store.ts';
import {
  createWorkerConnection,
  type WorkerConnection,
} from '../../../src/client/worker-connection.ts';
import type { CapturePort } from '../../../src/core/contracts/capture-port.ts';
import type { Dictation } from '../../../src/core/contracts/dictation.ts';
import type { Logger } from '../../../src/core/logger.ts';
import { DEFAULT_KEEPING } from '../../../src/core/recordings/recording.ts';
import { NOBODY, type Owner } from '../owners.ts';
import type { Realm, Scheduler } from '../scheduler.ts';
import type { FakeWorker } from './worker.ts';

export type TabPorts = {
  /** The person signed in. @default nobody */
  readonly owner?: Owner;
  readonly scheduler: Scheduler;
  readonly log: Logger;
  readonly startWorker: (page: Realm) => FakeWorker;
  readonly createCapture: (page: Realm) => CapturePort<MessagePort>;
  readonly newId: () => string;
};

/** A page with the real bridge in it. */
export type Tab = {
  readonly owner: Owner;
  readonly page: Realm;
  /** The realm of the worker it has just now. */
  readonly worker: Realm | null;
  readonly dictation: Omit<Dictation, 'setOptions'>;
  /** The page's handling of the back-forward cache. */
  readonly kept: KeptPage;
  readonly store: SnapshotStore;
  readonly connection: WorkerConnection;
};

/** Opens a page, which starts its worker as if earlier days had left something. */
export function openTab(name: string, ports: TabPorts): Tab {
  const { scheduler, log, startWorker, createCapture, newId } = ports;
  const page = scheduler.newRealm(name);
  const clock = scheduler.clockOf(page);
  const store = createSnapshotStore();
  let worker: Realm | null = null;
  const connection = createWorkerConnection({
    createWorker() {
      const started = startWorker(page);
      worker = started.realm;
      return started.worker;
    },
    store,
    clock,
    log,
  });
  const {
    leave,
    comeBack,
    renew: _,
    ...dictation
  } = createDictationController({
    storage: undefined,
    holder: { keeping: { ...DEFAULT_KEEPING, keepRecordings: 24 } },
    connection,
    capture: createCapture(page),
    store,
    clock,
    log,
    newId,
  });
  const lookForWork = (): void => void lookForEarlierWork(connection, clock);
  clock.after(1, lookForWork);
  return {
    owner: ports.owner ?? NOBODY,
    page,
    get worker() {
      return worker;
    },
    dictation,
    kept: {
      leave,
      comeBack() {
        comeBack();
        lookForWork();
      },
    },
    store,
    connection,
  };
}
