import type { CancelTimer, Clock } from '../../src/core/clock.ts';
import { toErrorInfo } from '../../src/core/errors.ts';
import type { Logger } from '../../src/core/logger.ts';
import { type Keeping, MAX_KEEP_HOURS } from '../../src/core/recordings/recording.ts';
import type { RecordingRecord } from '../../src/core/recordings/recording-record.ts';
import type { DictationLocks } from '../../src/platform/locks.ts';
import type { Journal } from '../store/journal.ts';
import type { DictationEntries } from '../upload/dictation-entry.ts';
import type { KnownRecordings } from './known-recordings.ts';
import type { Rewriter } from './rewriter.ts';

const MS_PER_HOUR = 3_600_000;

/** A stamp so far ahead of the clock was made by one that has been set back since. */
const MAX_AHEAD_MS = 60_000;

/** When a recording came to rest: its time is counted from then. Null while it has not. */
function restedAtMs({ endedAtMs, deliveredAtMs }: RecordingRecord): number | null {
  return endedAtMs === null ? null : Math.max(endedAtMs, deliveredAtMs ?? endedAtMs);
}

/**
 * The recordings whose time is over, or for which there is no room: of those at rest, the oldest
 * first. A recording that waits (`isWaiting`) stays, whatever its age and size, and so does one in
 * the bin, which has a time of its own.
 */
function recordingsToClear(
  records: readonly RecordingRecord[],
  keeping: Keeping,
  nowMs: number,
  isWaiting: (id: string) => boolean,
): readonly string[] {
  const keptMs = keeping.keepRecordings * MS_PER_HOUR;
  const atRest = records
    .flatMap((record) => {
      const atMs = restedAtMs(record);
      const isBusy = record.isInBin || record.asked !== null || isWaiting(record.id);
      return atMs === null || isBusy ? [] : [{ ...record, atMs }];
    })
    .sort((a, b) => a.atMs - b.atMs);
  let bytes = records.reduce((sum, record) => sum + record.bytes, 0);
  const toClear: string[] = [];
  for (const record of atRest) {
    const isOver = nowMs - record.atMs >= keptMs;
    if (!isOver && bytes <= keeping.keepRecordingsBytes) continue;
    toClear.push(record.id);
    bytes -= record.bytes;
  }
  return toClear;
}

/**
 * Recordings that came to rest in the future, by a clock that was wrong then or is wrong now: their
 * time is counted from now.
 */
function recordingsFromTheFuture(
  records: readonly RecordingRecord[],
  nowMs: number,
): readonly string[] {
  return records
    .filter((record) => (restedAtMs(record) ?? nowMs) > nowMs + MAX_AHEAD_MS)
    .map(({ id }) => id);
}

/** Time in which a deleted recording can be had back. */
const UNDO_MS = 30_000;

/** Interval of looking whether the page that deleted a recording is still there. */
const OWNER_LOOK_MS = 5_000;

type BinPorts = {
  /** Names this worker's bin: no other has that name. */
  readonly name: string;
  readonly locks: Pick<DictationLocks, 'take' | 'isOrphan'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Deletes it for good, unless it has been had back. */
  readonly remove: (id: string) => Promise<void>;
};

/**
 * Makes a bin: what a page has deleted, for as long as it can have it back. It is that page's
 * alone, and shown in no other: it goes after half a minute, or with its page, and then the next to
 * look deletes it. The time runs from when this worker has seen a recording there, and not by the
 * clock's hands, which may be set.
 */
export function createBin(ports: BinPorts) {
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
    /** Call it before something is put there: others leave it alone from then on. */
    async open(): Promise<void> {
      opened ??= locks.take(name);
      await opened;
    },
    isHere,
    /** These are all recordings there are. */
    look(records: readonly RecordingRecord[]): void {
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
    /** The page goes: nobody can have it back any more. */
    empty(): void {
      for (const [id, { isHere, cancel }] of [...watched]) {
        if (!isHere) continue;
        cancel();
        runOut(id);
      }
    },
  };
}

/** Interval of clearing away, beside the end of each recording. */
const LOOK_MS = 600_000;

/** Storage that failed is tried again, and what somebody is about to let go looked at. */
const LOOK_AGAIN_MS = 10_000;

type HousekeepingPorts = {
  readonly entries: DictationEntries;
  readonly known: KnownRecordings;
  readonly rewriter: Rewriter;
  readonly journal: Pick<Journal, 'list'>;
  readonly locks: Pick<DictationLocks, 'isOrphan'>;
  readonly clock: Clock;
  readonly log: Logger;
  /**
   * The recording of a session has come to its end; false where nothing is stored of it yet.
   * Rejects with `storage-failed`.
   */
  readonly end: (id: string) => Promise<boolean>;
  /** Runs first; rejects with `storage-failed`. */
  readonly before: () => Promise<void>;
};

/** Brings the recordings to where they should be, now and then. */
export function createHousekeeping(ports: HousekeepingPorts) {
  const { entries, known, rewriter, journal, locks, clock, log, end, before } = ports;
  let nextLook: { readonly dueMs: number; readonly cancel: CancelTimer } | null = null;
  let looking: Promise<void> = Promise.resolve();

  /** On a full disk: gives up all that is delivered; true if anything was. Never rejects. */
  async function makeRoom(): Promise<boolean> {
    try {
      await known.load();
      return await clear({ keepRecordings: 0, keepRecordingsBytes: 0 });
    } catch (thrown) {
      log.error('No room could be made', toErrorInfo(thrown, 'storage-failed'));
      return false;
    }
  }

  /** True if anything went. */
  async function clear(within: Keeping): Promise<boolean> {
    if (!known.isQueueKnown()) return false;
    const nowMs = clock.nowMs();
    for (const id of recordingsFromTheFuture(known.all(), nowMs)) {
      await known.change(id, (record) => ({
        ...record,
        endedAtMs: nowMs,
        deliveredAtMs: record.deliveredAtMs && nowMs,
      }));
    }
    const ids = recordingsToClear(known.all(), within, nowMs, known.isWaiting);
    for (const id of ids) {
      await known.remove(id, (record) => record.endedAtMs !== null && !record.isInBin);
    }
    return ids.length > 0;
  }

  /** With each its owner's time, by which others let it go. */
  async function noteTime(): Promise<void> {
    const keepHours = known.keeping.keepRecordings;
    for (const { id, endedAtMs, keepHours: noted } of known.all()) {
      if (endedAtMs === null || noted === keepHours) continue;
      await known.change(id, (record) => ({ ...record, keepHours }));
    }
  }

  /** Their time ends too, whether or not they come back: as they have chosen it. */
  async function clearOthers(): Promise<void> {
    for (const record of await known.others()) {
      const { id, isInBin, binnedBy, keepHours: keepRecordings = MAX_KEEP_HOURS } = record;
      const theirs = { keepRecordings, keepRecordingsBytes: record.bytes };
      // While their page is there they can have it back.
      const isToGo = isInBin
        ? binnedBy === null || (await locks.isOrphan(binnedBy))
        : recordingsToClear([record], theirs, clock.nowMs(), () => false).length > 0;
      if (isToGo)
        await known.remove(id, (now) => now.endedAtMs !== null && now.isInBin === isInBin);
    }
  }

  /**
   * Ends recordings that no tab has open and whose journal is gone. False if one without a journal
   * is still locked: its holder is about to let it go.
   */
  async function endOrphans(): Promise<boolean> {
    const open = known.all().filter(({ endedAtMs }) => endedAtMs === null);
    if (open.length === 0) return true;
    const journalled = new Set((await journal.list()).map(({ dictationId }) => dictationId));
    let isNoneHeld = true;
    for (const { id } of open) {
      if (journalled.has(id)) continue;
      if (await locks.isOrphan(id)) await end(id);
      else isNoneHeld = false;
    }
    return isNoneHeld;
  }

  async function lookNow(): Promise<void> {
    let isDone = false;
    try {
      await known.load();
      known.error = null;
      await before();
      await endRest();
      isDone = await endOrphans();
      await clear(known.keeping);
      await noteTime();
      await clearOthers();
      for (const record of known.all())
        if (record.asked && !record.isInBin) await rewriter.send(record);
      await rewriter.look();
    } catch (thrown) {
      known.error = toErrorInfo(thrown, 'storage-failed');
      log.error('The recordings that are kept could not be looked at', known.error);
    }
    lookWithin(isDone && !known.error ? LOOK_MS : LOOK_AGAIN_MS);
  }

  /**
   * Learns what is stored, clears away what is over, and sends what was asked for. Never rejects.
   */
  function look(): Promise<void> {
    looking = looking.then(lookNow);
    return looking;
  }

  /** Plans a look, unless an earlier one is planned. */
  function lookWithin(delayMs: number): void {
    const dueMs = clock.nowMs() + delayMs;
    if (nextLook && nextLook.dueMs <= dueMs && nextLook.dueMs >= clock.nowMs()) return;
    nextLook?.cancel();
    const cancel = clock.after(delayMs, () => {
      nextLook = null;
      void look();
    });
    nextLook = { dueMs, cancel };
  }

  /** The same a moment later, once for all that asks for it. */
  function lookSoon(): void {
    lookWithin(0);
  }

  async function endRest(): Promise<void> {
    for (const [id, entry] of entries.all()) {
      // A recording that a full disk kept out comes with its text, and has ended then.
      if (entry.isEndOwed && (await end(id))) entry.isEndOwed = false;
    }
  }

  return {
    look,
    lookSoon,
    makeRoom,
    /**
     * All sound of a recording is kept, as far as it can be: written now, or as soon as it can be.
     */
    async ended(id: string): Promise<void> {
      entries.of(id).isEndOwed = true;
      await endRest().catch((thrown: unknown) => {
        log.error(
          'The end of a recording could not be written',
          toErrorInfo(thrown, 'storage-failed'),
        );
      });
      lookSoon();
    },
  };
}
