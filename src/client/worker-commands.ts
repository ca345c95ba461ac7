import * as Comlink from 'comlink';
import type { Dictation } from '../core/contracts/dictation.ts';
import { completeKeeping, type Keeping } from '../core/recordings/keeping.ts';
import { openDictationIds } from '../platform/locks.ts';
import { readStorageFacts } from './browser-storage.ts';
import type { RemoteApi, WorkerConnection } from './worker-connection.ts';

/** How long recordings are kept: whoever starts the next worker reads it here. */
export type KeepingHolder = { keeping: Keeping };

/** Makes the commands of a dictation that the worker carries out alone. */
export function createWorkerCommands(
  connection: WorkerConnection,
  holder: KeepingHolder,
  ports: {
    /** Recordings that this page has not ended. */
    readonly openHere: () => Iterable<string>;
    /** Gives up the places kept for late texts on this page. */
    readonly letPlacesGo: () => Promise<void>;
    readonly storage: Parameters<typeof readStorageFacts>[0];
  },
) {
  const { ask, tell } = connection;

  /** The deletions under way: else they would delete again what is had back meanwhile. */
  let deleting: Promise<unknown> = Promise.resolve();

  /** What was open when it was asked for is spared, also if it is over when a slow worker begins. */
  async function askSparing(
    question: (api: RemoteApi, openIds: readonly string[]) => Promise<void>,
  ): Promise<void> {
    const hereIds = [...ports.openHere()];
    // All includes texts that have their place on this page.
    await ports.letPlacesGo();
    const openIds = [...hereIds, ...(await openDictationIds())];
    return ask((api) => question(api, openIds));
  }

  function deleteSparing(...question: Parameters<typeof askSparing>): Promise<void> {
    const own = askSparing(...question);
    deleting = Promise.allSettled([deleting, own]);
    return own;
  }

  return {
    levels(framesPerReading = 1) {
      const { port1, port2 } = new MessageChannel();
      tell((api) => api.tellLevels(Comlink.transfer(port1, [port1]), framesPerReading));
      return port2;
    },
    retry: (itemId) => tell((api) => api.retry(itemId)),
    discard: (itemId) => tell((api) => api.discard(itemId)),
    retryKept: (dictationId) => ask((api) => api.retryKept(dictationId)),
    discardKept: (dictationId) => tell((api) => api.discardKept(dictationId)),
    audio: (dictationId) => ask((api) => api.audio(dictationId)),
    wipe: () => deleteSparing((api, openIds) => api.wipe(openIds)),
    recordings: {
      transcripts: (id) => ask((api) => api.transcripts(id)),
      audio: (id) => ask((api) => api.recordingAudio(id)),
      transcribeAgain: (id, options = {}) => ask((api) => api.transcribeAgain(id, options)),
      delete: (id) => ask((api) => api.deleteRecording(id)),
      deleteAll: () => deleteSparing((api, openIds) => api.deleteRecordings(openIds)),
      async undoDelete(id) {
        await deleting;
        return ask((api) => api.undoDelete(id));
      },
      keep(given) {
        holder.keeping = completeKeeping(given, holder.keeping);
        if (connection.hasWorker()) tell((api) => api.keep(holder.keeping));
      },
      // Asked for on a first visit, where no worker is needed yet.
      storage: () => readStorageFacts(ports.storage),
    },
    dismissNotice: (notice) => tell((api) => api.report({ kind: 'notice-dismissed', notice })),
  } satisfies Partial<Dictation>;
}
