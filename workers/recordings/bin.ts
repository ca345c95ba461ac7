import type { CancelTimer, Clock } from '../../src/core/clock.ts';
import { toErrorInfo } from '../../src/core/errors.ts';
import type { Logger } from '../../src/core/logger.ts';
import type { RecordingRecord } from '../../src/core/recordings/recording-record.ts';
import type { ReleaseLock } from '../../src/platform/locks.ts';

/** How long a deleted recording can be had back. */
const UNDO_MS = 30_000;

/** Whoever deleted it may close its page: how often it is looked whether it is still there. */
const OWNER_LOOK_MS = 5_000;

export type BinPorts = {
  /** Names this worker's bin: no other has that name. */
  readonly name: string;
  readonly locks: {
    take(name: string): Promise<ReleaseLock | undefined>;
    isOrphan(name: string): Promise<boolean>;
  };
  readonly clock: Clock;
  readonly log: Logger;
  /** Deletes it for good, unless it has been had back. */
  readonly remove: (id: string) => Promise<void>;
};

/**
 * What a page has deleted, for as long as it can have it back. It is that page's alone, and shown
 * in no other: it goes after half a minute, or with its page, and then the next to look deletes it.
 */
export type Bin = {
  readonly name: string;
  /** Call it before something is put there: others leave it alone from then on. */
  open(): Promise<void>;
  isHere(record: RecordingRecord): boolean;
  /** These are all recordings there are. */
  look(records: readonly RecordingRecord[]): void;
  /** The page goes: nobody can have it back any more. */
  empty(): void;
};

/**
 * Makes a bin. The time runs from when this worker has seen a recording there, and not by the
 * clock's hands, which may be set.
 */
export function createBin(ports: BinPorts): Bin {
  const { name, locks, clock, log, remove } = ports;
  /** Those that lie in a bin, this one or another, and how looking after each is ended. */
  const watched = new Map<string, { readonly isHere: boolean; cancel: CancelTimer }>();
  let opened: Promise<unknown> | undefined;

  const isHere = ({ binnedBy }: RecordingRecord): boolean => binnedBy === name;

  function runOut(id: string): void {
    watched.delete(id);
    remove(id).catch((thrown: unknown) => {
      log.error('A deleted recording is still there', toErrorInfo(thrown, 'storage-failed'));
      watched.set(id, { isHere: true, cancel: clock.after(UNDO_MS, () => runOut(id)) });
    });
  }

  function watch(record: RecordingRecord): void {
    const { id } = record;
    if (isHere(record)) {
      watched.set(id, { isHere: true, cancel: clock.after(UNDO_MS, () => runOut(id)) });
      return;
    }
    watched.set(id, { isHere: false, cancel: () => {} });
    void lookAfter(record);
  }

  async function lookAfter({
    id,
    binnedBy,
  }: Pick<RecordingRecord, 'id' | 'binnedBy'>): Promise<void> {
    const isLeft = binnedBy === null || (await locks.isOrphan(binnedBy));
    const own = watched.get(id);
    // Had back meanwhile.
    if (!own) return;
    if (isLeft) runOut(id);
    else own.cancel = clock.after(OWNER_LOOK_MS, () => void lookAfter({ id, binnedBy }));
  }

  return {
    name,
    async open() {
      opened ??= locks.take(name);
      await opened;
    },
    isHere,
    look(records) {
      const binned = new Map(
        records.filter(({ isInBin }) => isInBin).map((record) => [record.id, record]),
      );
      for (const [id, { cancel }] of watched) {
        if (binned.has(id)) continue;
        cancel();
        watched.delete(id);
      }
      for (const [id, record] of binned) if (!watched.has(id)) watch(record);
    },
    empty() {
      for (const [id, { isHere, cancel }] of [...watched]) {
        if (!isHere) continue;
        cancel();
        runOut(id);
      }
    },
  };
}
