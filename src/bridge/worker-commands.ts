import * as Comlink from 'comlink';
import type { Dictation } from '../core/contracts/dictation.ts';
import type { Supervisor } from './supervisor.ts';

/** The commands of a dictation that the worker carries out alone. */
export type WorkerCommands = Pick<
  Dictation,
  'levels' | 'retry' | 'discard' | 'retryKept' | 'discardKept' | 'audio' | 'wipe' | 'dismissNotice'
>;

export function createWorkerCommands(supervisor: Supervisor): WorkerCommands {
  return {
    levels() {
      const { port1, port2 } = new MessageChannel();
      void supervisor.worker().api.tellLevels(Comlink.transfer(port1, [port1]));
      return port2;
    },
    retry: (itemId) => void supervisor.worker().api.retry(itemId),
    discard: (itemId) => void supervisor.worker().api.discard(itemId),
    retryKept: async (sessionId) => {
      const { api, call } = supervisor.worker();
      await call(api.retryKept(sessionId));
    },
    discardKept: (sessionId) => void supervisor.worker().api.discardKept(sessionId),
    audio: async (sessionId) => {
      const { api, call } = supervisor.worker();
      return call(api.audio(sessionId));
    },
    wipe: async () => {
      const { api, call } = supervisor.worker();
      await call(api.wipe());
    },
    dismissNotice: (notice) =>
      void supervisor.worker().api.report({ kind: 'notice-dismissed', notice }),
  };
}
