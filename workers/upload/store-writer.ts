import { type ErrorInfo, toErrorInfo } from '../../src/core/errors.ts';
import type { Logger } from '../../src/core/logger.ts';

export type StoreWriterPorts = {
  readonly log: Logger;
  /** Something was stored. */
  readonly onStored: () => void;
  /** Storage failed, or (null) works again. */
  readonly onStorage: (error: ErrorInfo | null) => void;
};

/**
 * Work on a store that may fail: a failure is logged and told until something works again, and
 * rejects nothing.
 */
export type StoreWriter = {
  /** Whether it worked; `what` names it in the log. */
  write(what: string, work: () => Promise<void>): Promise<boolean>;
  /** Null if it failed. */
  read<T>(what: string, work: () => Promise<T>): Promise<T | null>;
};

export function createStoreWriter({ log, onStored, onStorage }: StoreWriterPorts): StoreWriter {
  let isFailing = false;

  async function attempt<T>(what: string, work: () => Promise<T>): Promise<{ result: T } | null> {
    try {
      const result = await work();
      if (isFailing) onStorage(null);
      isFailing = false;
      return { result };
    } catch (thrown) {
      const error = toErrorInfo(thrown, 'storage-failed');
      log.error(`Queue storage: ${what} failed`, error);
      isFailing = true;
      onStorage(error);
      return null;
    }
  }

  return {
    async write(what, work) {
      const isWritten = (await attempt(what, work)) !== null;
      if (isWritten) onStored();
      return isWritten;
    },
    read: async (what, work) => (await attempt(what, work))?.result ?? null,
  };
}
