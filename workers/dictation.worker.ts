import * as Comlink from 'comlink';
import { createDeferred, untilAborted } from '../src/core/async.ts';
import type { Clock } from '../src/core/clock.ts';
import type { WorkerSetup } from '../src/core/contracts/worker-api.ts';
import { DikteraError } from '../src/core/errors.ts';
import type { Logger } from '../src/core/logger.ts';
import { browserClock } from '../src/platform/browser-clock.ts';
import { holdLife, type ReleaseLock } from '../src/platform/locks.ts';
import { assembleWorker, startUp, type WorkerEdges } from './assemble-worker.ts';
import { createAudioEncoder } from './audio/audio-encoder.ts';
import { audioFormats } from './audio/audio-formats.ts';
import { loadSpeechEngine } from './audio/choose-engine.ts';
import { kernelFactory } from './audio/kernel-engine.ts';
import { createDictationWorker } from './dictation-worker.ts';
import { createHttpClient } from './http/http-client.ts';
import { createSnapshotPublisher } from './snapshot-publisher.ts';
import { fetchForm } from './upload/transcribe-request.ts';

/** The browser's own: WebCodecs, onnxruntime or the kernel; requests go by `fetch`. */
function browserEdges(
  { assets }: Pick<WorkerSetup, 'assets'>,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
  fetch: typeof globalThis.fetch,
): WorkerEdges {
  const http = createHttpClient({ clock });
  return {
    loadEngine: ({ engine }) =>
      loadSpeechEngine({ kind: engine, assets }, { http, log, kernel: kernelFactory }),
    encoder: createAudioEncoder({ clock, log, formats: audioFormats(assets) }),
    fetch,
    random: Math.random,
  };
}

const publisher = createSnapshotPublisher(browserClock);
const ports = { clock: browserClock, log: console, dispatch: publisher.dispatch };
/**
 * In the name, since messages come only when the page's main thread has a moment to pass them on.
 */
const setup = JSON.parse(self.name) as WorkerSetup;
/** Fetched for pages that sign their requests: ours does not. */
const loadSigning = async () => {
  const { createSignedFetch } = await import('../src/platform/signed-fetch.ts');
  return createSignedFetch(
    { ...setup, fetch: fetchForm },
    { createDeferred, untilAborted, DikteraError },
  );
};
let signing = setup.isSigned || setup.credentials ? loadSigning() : null;
const request: typeof fetch = async (address, init) =>
  signing ? (await signing).fetch(address, init) : fetchForm(address, init);
const parts = assembleWorker(setup, browserEdges(setup, ports, request), ports);
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
    sign(ask) {
      signing ??= loadSigning();
      void signing.then((signed) => signed.sign(ask));
    },
  }),
);
void startUp(parts, setup, ports);
