import * as Comlink from 'comlink';
import { assembleWorker } from './assemble-worker.ts';
import { createDictationWorker } from './dictation-worker.ts';
import { createSnapshotPublisher } from './snapshot-publisher.ts';
import { systemClock } from './system-clock.ts';

const publisher = createSnapshotPublisher(systemClock);
const ports = { clock: systemClock, log: console, dispatch: publisher.dispatch };

Comlink.expose(
  createDictationWorker({
    publisher,
    clock: systemClock,
    log: console,
    assemble: (setup) => assembleWorker(setup, ports),
  }),
);
