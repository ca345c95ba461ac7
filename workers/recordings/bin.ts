import type { CancelTimer, Clock } from '../../src/core/clock.ts';
import { toErrorInfo } from '../../src/core/errors.ts';
import type { Logger } from '../../src/core/logger.ts';
import type { RecordingRecord } from '../../src/core/recordings/recording-record.ts';

/** How long a deleted recording can be had back. */
const UNDO_MS = 30_000;

/** Deletes for good what has been in the bin for so long. */
export type Bin = {
  /** These are all recordings there are. */
  look(records: readonly RecordingRecord[]): void;
};

/**
 * Makes a bin. The time runs from when this worker has seen a recording there, and not by the
 * clock's hands, which may be set: what a closed tab has left goes half a minute after the next
 * start.
 */
export function createBin(ports: {
  readonly clock: Clock;
  readonly log: Logger;
  /** Deletes it, unless it has been had back. */
  readonly remove: (id: string) => Promise<void>;
}): Bin {
  const { clock, log, remove } = ports;
  const timers = new Map<string, CancelTimer>();

  function runOut(id: string): void {
    timers.delete(id);
    remove(id).catch((thrown: unknown) => {
      log.error('A deleted recording is still there', toErrorInfo(thrown, 'storage-failed'));
      timers.set(
        id,
        clock.after(UNDO_MS, () => runOut(id)),
      );
    });
  }

  return {
    look(records) {
      const binned = new Set(records.filter(({ isInBin }) => isInBin).map(({ id }) => id));
      for (const [id, cancel] of timers) {
        if (binned.has(id)) continue;
        cancel();
        timers.delete(id);
      }
      for (const id of binned) {
        if (!timers.has(id))
          timers.set(
            id,
            clock.after(UNDO_MS, () => runOut(id)),
          );
      }
    },
  };
}
