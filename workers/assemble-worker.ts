import type { Clock } from '../src/core/clock.ts';
import type { Logger } from '../src/core/logger.ts';
import type { SnapshotEvent } from '../src/core/snapshot-events.ts';
import type { WorkerSetup } from '../src/core/worker-api.ts';
import type { WorkerParts } from './dictation-worker.ts';
import { createAudioEncoder } from './encoding/audio-encoder.ts';
import { createEngineHolder, type EngineChoice } from './engine-holder.ts';
import { getJson } from './http/get-json.ts';
import { createHttpClient } from './http/http-client.ts';
import { createServerWatch } from './server-watch.ts';
import { createRecovery } from './session/recovery.ts';
import { createDrainLock } from './storage/drain-lock.ts';
import { createIndexedDbJournal } from './storage/indexed-db-journal.ts';
import { createIndexedDbQueueStore } from './storage/indexed-db-queue-store.ts';
import { createSessionLocks } from './storage/session-lock.ts';
import { createQueueChannel } from './upload/queue-tabs.ts';
import { createTranscribeRequest } from './upload/transcribe-request.ts';
import { createUploadQueue } from './upload/upload-queue.ts';
import { loadSpeechEngine } from './vad/load-engine.ts';

/** The health answer's status while the engine is being loaded or has failed. */
const NOT_READY_STATUS = 503;

export type AssemblyPorts = {
  readonly clock: Clock;
  readonly log: Logger;
  readonly dispatch: (event: SnapshotEvent) => void;
};

/** The worker's real parts: IndexedDB, Web Locks, WebCodecs, onnxruntime, fetch. */
export function assembleWorker(setup: WorkerSetup, ports: AssemblyPorts): WorkerParts {
  const { clock, log, dispatch } = ports;
  const { assetBaseUrl, transcriptionUrl } = setup;
  const http = createHttpClient({ clock });
  const encoder = createAudioEncoder({ clock, log });
  const locks = createSessionLocks(navigator.locks);
  const drainLock = createDrainLock(navigator.locks);

  const loadEngine = ({ model, engine }: EngineChoice) =>
    loadSpeechEngine({ model, kind: engine, assetBaseUrl }, { http, log });

  const journal = createIndexedDbJournal({
    clock,
    onFailure: (error) => {
      log.error('The journal cannot be written', error);
      const { code, message } = error;
      dispatch({ kind: 'notice-raised', notice: 'storage-failed', error: { code, message } });
    },
    onRecovered: () => dispatch({ kind: 'notice-cleared', notice: 'storage-failed' }),
  });

  const queue = createUploadQueue({
    store: createIndexedDbQueueStore({ clock }),
    request: createTranscribeRequest({ url: transcriptionUrl, clock }),
    encoder,
    clock,
    random: Math.random,
    log,
    onChange: (changed) => {
      dispatch({ kind: 'queue-changed', queue: changed });
      const isRefused = changed.isUnauthorised;
      dispatch(
        isRefused
          ? { kind: 'notice-raised', notice: 'uploads-unauthorised', error: null }
          : { kind: 'notice-cleared', notice: 'uploads-unauthorised' },
      );
      const isWaiting = changed.items.some(
        ({ state }) => state.kind === 'waiting' && state.lastError !== null,
      );
      if (!isWaiting) dispatch({ kind: 'notice-cleared', notice: 'upload-failed' });
    },
    onStorage: (error) =>
      dispatch(
        error
          ? { kind: 'notice-raised', notice: 'storage-failed', error }
          : { kind: 'notice-cleared', notice: 'storage-failed' },
      ),
    tabs: {
      ...createQueueChannel(),
      takeDrain: (signal) => drainLock.take(signal),
      isOrphan: (sessionId) => locks.isOrphan(sessionId),
    },
  });

  return {
    engines: createEngineHolder({ load: loadEngine, log, dispatch }),
    encoder,
    journal,
    locks,
    queue,
    recovery: createRecovery({
      journal,
      locks,
      queue,
      encoder,
      clock,
      log,
      loadEngine: () => loadEngine(setup),
    }),
    server: createServerWatch({
      fetchHealth: () =>
        getJson(http, {
          address: new URL('../health', transcriptionUrl).href,
          acceptStatuses: [NOT_READY_STATUS],
          cache: 'no-store',
        }),
      clock,
      dispatch,
    }),
  };
}
