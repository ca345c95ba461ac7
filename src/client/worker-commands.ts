import * as Comlink from 'comlink';
import type { Dictation } from '../core/contracts/dictation.ts';
import { toErrorInfo } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import { completeKeeping, type Keeping } from '../core/recordings/keeping.ts';
import { openSessionIds } from './open-sessions.ts';
import { readStorageFacts } from './storage-facts.ts';
import type { Supervisor } from './supervisor.ts';
import type { WorkerClient } from './worker-client.ts';

/** The commands of a dictation that the worker carries out alone. */
export type WorkerCommands = Pick<
  Dictation,
  | 'levels'
  | 'retry'
  | 'discard'
  | 'retryKept'
  | 'discardKept'
  | 'audio'
  | 'wipe'
  | 'recordings'
  | 'dismissNotice'
>;

/** How long recordings are kept: whoever starts the next worker reads it here. */
export type KeepingHolder = { keeping: Keeping };

export type WorkerCommandPorts = {
  /** Recordings that this page has not ended. */
  readonly openHere: () => Iterable<string>;
  /** Gives up the places kept for late texts on this page. */
  readonly letPlacesGo: () => Promise<void>;
  readonly storage: Parameters<typeof readStorageFacts>[0];
  readonly log: Logger;
};

export function createWorkerCommands(
  supervisor: Supervisor,
  holder: KeepingHolder,
  { openHere, letPlacesGo, storage, log }: WorkerCommandPorts,
): WorkerCommands {
  async function ask<T>(question: (api: WorkerClient['api']) => Promise<T>): Promise<T> {
    const { api, call } = supervisor.worker();
    return call(question(api));
  }

  /** What was open when it was asked for is spared, also if it is over when a slow worker begins. */
  async function askSparing(
    question: (api: WorkerClient['api'], openIds: readonly string[]) => Promise<void>,
  ): Promise<void> {
    const hereIds = [...openHere()];
    // All includes texts that have their place on this page.
    await letPlacesGo();
    const openIds = [...hereIds, ...(await openSessionIds())];
    return ask((api) => question(api, openIds));
  }

  /** Nobody waits for it: the snapshot shows what came of it. */
  function tell(command: (api: WorkerClient['api']) => Promise<void>): void {
    void command(supervisor.worker().api).catch((thrown: unknown) => {
      log.error('A command was not carried out whole', toErrorInfo(thrown, 'storage-failed'));
    });
  }

  return {
    levels(framesPerReading = 1) {
      const { port1, port2 } = new MessageChannel();
      void supervisor.worker().api.tellLevels(Comlink.transfer(port1, [port1]), framesPerReading);
      return port2;
    },
    retry: (itemId) => tell((api) => api.retry(itemId)),
    discard: (itemId) => tell((api) => api.discard(itemId)),
    retryKept: (sessionId) => ask((api) => api.retryKept(sessionId)),
    discardKept: (sessionId) => tell((api) => api.discardKept(sessionId)),
    audio: (sessionId) => ask((api) => api.audio(sessionId)),
    wipe: () => askSparing((api, openIds) => api.wipe(openIds)),
    recordings: {
      transcripts: (id) => ask((api) => api.transcripts(id)),
      audio: (id) => ask((api) => api.recordingAudio(id)),
      transcribeAgain: (id, options = {}) => ask((api) => api.transcribeAgain(id, options)),
      delete: (id) => ask((api) => api.deleteRecording(id)),
      deleteAll: () => askSparing((api, openIds) => api.deleteRecordings(openIds)),
      undoDelete: (id) => ask((api) => api.undoDelete(id)),
      keep(given) {
        holder.keeping = completeKeeping(given, holder.keeping);
        if (supervisor.hasWorker()) void supervisor.worker().api.keep(holder.keeping);
      },
      // Asked for on a first visit, where no worker is needed yet.
      storage: () => readStorageFacts(storage),
    },
    dismissNotice: (notice) =>
      void supervisor.worker().api.report({ kind: 'notice-dismissed', notice }),
  };
}
