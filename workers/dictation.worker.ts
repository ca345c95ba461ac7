import * as Comlink from 'comlink';
import type { WorkerSetup } from '../src/core/contracts/worker-api.ts';
import { browserClock } from '../src/platform/browser-clock.ts';
import { holdLife, type ReleaseLock } from '../src/platform/locks.ts';
import { assembleWorker } from './assemble-worker.ts';
import { browserEdges } from './browser-edges.ts';
import { createDictationWorker } from './dictation-worker.ts';
import { createSnapshotPublisher } from './snapshot-publisher.ts';
import { startUp } from './start-up.ts';

const publisher = createSnapshotPublisher(browserClock);
const ports = { clock: browserClock, log: console, dispatch: publisher.dispatch };
/**
 * In the name, since messages come only when the page's main thread has a moment to pass them on.
 */
const setup = JSON.parse(self.name) as WorkerSetup;
const parts = assembleWorker(setup, browserEdges(setup, ports), ports);
/** Never let go: the browser does it when the worker is no more. */
const heldForLife = new Set<ReleaseLock>();

Comlink.expose(
  createDictationWorker({
    publisher,
    clock: browserClock,
    log: console,
    async holdLock(name) {
      heldForLife.add(await holdLife(name));
    },
    parts,
  }),
);
void startUp(parts, setup, ports);
