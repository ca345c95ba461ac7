import { promisifyRequest } from 'idb-keyval';
import { rangeSamples, type SampleRange } from '../../src/core/audio/audio-format.ts';
import type { Clock } from '../../src/core/clock.ts';
import { DikteraError } from '../../src/core/errors.ts';
import { createOwnerScope, NO_OWNER, type OwnerScope } from '../../src/core/queue/owner.ts';
import type { DictationCut, JournalCut } from '../../src/core/queue/queue-item.ts';
import { JOURNAL_SCHEMA_VERSION, type Journal } from '../../src/core/session/journal.ts';
import type { DictationLocks } from '../../src/platform/locks.ts';
import { type Database, toStorageError } from './database.ts';
import {
  createJournalAudio,
  eraseFrames,
  eraseMarks,
  eraseSession,
  isWithin,
  type JournalAudio,
  readHeaders,
  readRecording,
} from './journal-audio.ts';
import {
  audioOf,
  changeRow,
  dictationOf,
  markKey,
  markRangeOf,
  newRow,
  rangeKey,
  rangeOf,
  TABLES,
} from './records.ts';
import { type ChangeRow, createWriteBehind, type PendingEntry } from './write-behind.ts';

/** Ten minutes of 16-bit PCM at 16 kHz. */
const MAX_PENDING_BYTES = 19_200_000;

/** All words of a session are in the user's hands, or stored; its sound is still needed. */
const NO_WORDS_LEFT: JournalCut = {
  nextChunkNumber: Number.MAX_SAFE_INTEGER,
  cutUpToSample: Number.MAX_SAFE_INTEGER,
  isInSpeech: false,
};

/** What the journal needs. */
export type JournalPorts = {
  readonly database: Database;
  readonly clock: Clock;
  /**
   * Told once for each cause when audio could not be written; it stays in memory and is retried.
   */
  readonly onFailure: (error: DikteraError) => void;
  /** Told when writing works again after a failure. */
  readonly onRecovered?: () => void;
  /**
   * On a full disk: gives up what can be spared elsewhere; true if anything was. Never rejects.
   * @default nothing can be
   */
  readonly spareOthers?: () => Promise<boolean>;
  /** Whose is what begins, and what is listed. @default nobody signs in */
  readonly scope?: OwnerScope;
  /** Audio kept in memory while storage fails, in bytes. @default 19200000, ten minutes */
  readonly maxPendingBytes?: number;
};

/** Work inside a transaction on all three tables, which is safe to repeat. */
export type TableWork = (
  dictations: IDBObjectStore,
  chunks: IDBObjectStore,
  audio: IDBObjectStore,
) => void | Promise<void>;

/** A journal and its timers. */
export type IndexedDbJournal = Journal & {
  /**
   * Notes a cut and deletes the audio before it, in one transaction with other work on the tables:
   * all of it or nothing.
   */
  cutWith(cut: DictationCut, work: TableWork): Promise<void>;
  /**
   * `remove`, in one transaction with other work on the tables. What a recording still needs stays
   * until `remove`; no words are left in it.
   */
  removeWith(dictationId: string, work: TableWork): Promise<void>;
  /** Writes what is waiting, if it can be written, and nothing later. */
  dispose(): Promise<void>;
};

function isSampleIndex(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** Makes the journal on IndexedDB: short records, so that silence can be dropped bit by bit. */
export function createJournal(ports: JournalPorts): IndexedDbJournal {
  const { database, clock, onFailure, scope = createOwnerScope(NO_OWNER) } = ports;
  const writer = createWriteBehind({
    database,
    clock,
    onFailure,
    onRecovered: ports.onRecovered ?? (() => {}),
    spareOthers: ports.spareOthers ?? (async () => false),
    maxPendingBytes: ports.maxPendingBytes ?? MAX_PENDING_BYTES,
  });
  const removed = new Set<string>();
  const audios = new Map<string, JournalAudio>();

  function audioIn(dictationId: string): JournalAudio {
    const found = audios.get(dictationId) ?? createJournalAudio();
    audios.set(dictationId, found);
    return found;
  }

  /** A record without a valid key would make every write fail that it is part of. */
  function put(dictationId: string, atSample: number, entry: PendingEntry): void {
    if (removed.has(dictationId)) return;
    if (isSampleIndex(atSample)) writer.put(entry);
    else onFailure(new DikteraError('storage-failed', `Not a sample index: ${atSample}`));
  }

  function eraseRanges(dictationId: string, ranges: readonly SampleRange[]): void {
    if (ranges.length === 0) return;
    writer.forget((key) => dictationOf(key) === dictationId && isWithin(rangeOf(key), ranges));
    writer.erase((audio) => eraseFrames(audio, dictationId, ranges));
  }

  function forget(dictationId: string): void {
    removed.add(dictationId);
    audios.delete(dictationId);
    writer.forget((key) => dictationOf(key) === dictationId);
  }

  /** What was cut, once no recording needs it any more. */
  function trim(dictationId: string, upToSample: number): void {
    if (upToSample === 0) return;
    eraseRanges(dictationId, [{ startSample: 0, endSample: upToSample }]);
    writer.erase((audio) => eraseMarks(audio, dictationId, upToSample));
  }

  async function writeCut(
    dictationId: string,
    { taken, ...cut }: JournalCut,
    work: TableWork,
  ): Promise<void> {
    const own = audioIn(dictationId);
    const upToSample = own.freeBefore(cut.cutUpToSample);
    await database.write(TABLES, 'strict', async (dictations, chunks, audio) => {
      if (!removed.has(dictationId)) {
        for (const range of taken ?? []) audio.put(true, rangeKey('taken', dictationId, range));
        if (!taken) {
          eraseFrames(audio, dictationId, [{ startSample: 0, endSample: upToSample }]);
          eraseMarks(audio, dictationId, upToSample);
          await noteCut(dictations, dictationId, cut);
        }
      }
      await work(dictations, chunks, audio);
    });
    if (taken) return;
    // What is not written yet need not be any more.
    writer.forget((key) => dictationOf(key) === dictationId && isBefore(key, upToSample));
    if (!removed.has(dictationId)) trim(dictationId, own.cut(cut.cutUpToSample));
  }

  /** The beginning may not have been written: it is not in the step that cuts. */
  function noteCut(
    dictations: IDBObjectStore,
    dictationId: string,
    cut: JournalCut,
  ): Promise<void> {
    return changeRow(dictations, dictationId, (found) => {
      const row = found ?? newRow(dictationId, scope.owner);
      const journal = row.journal ?? { target: null, schemaVersion: JOURNAL_SCHEMA_VERSION };
      return { ...row, journal: { ...journal, cut } };
    });
  }

  return {
    async begin(header) {
      const { dictationId: id, startedAtMs, options, ...rest } = cloneForStorage(header);
      const { owner } = scope;
      const begin: ChangeRow = (row) => {
        const journal = { ...rest, cut: row?.journal?.cut ?? null };
        return { retained: null, ...row, id, owner, startedAtMs, options, journal };
      };
      removed.delete(id);
      writer.put({ key: id, value: begin, audioBytes: 0 });
      await writer.flush();
    },
    append(dictationId, startSample, pcm) {
      if (pcm.length === 0) return;
      const { buffer } = pcm.slice();
      const key = rangeKey('pcm', dictationId, {
        startSample,
        endSample: startSample + pcm.length,
      });
      put(dictationId, startSample, { key, value: buffer, audioBytes: buffer.byteLength });
    },
    mark(dictationId, { kind, atSample }) {
      const mark = { kind, atSample };
      put(dictationId, atSample, { key: markKey(dictationId, mark), value: mark, audioBytes: 0 });
    },
    drop(dictationId, range) {
      if (!removed.has(dictationId)) eraseRanges(dictationId, audioIn(dictationId).drop(range));
    },
    keepFrom(dictationId, sample) {
      if (removed.has(dictationId)) return;
      const { silence, upToSample } = audioIn(dictationId).keepFrom(sample);
      eraseRanges(dictationId, silence);
      trim(dictationId, upToSample);
    },
    cutWith: ({ dictationId, ...cut }, work) =>
      writer.inTurn(() => writeCut(dictationId, cut, work)),
    async flush(dictationId) {
      eraseRanges(dictationId, audios.get(dictationId)?.takeAll() ?? []);
      await writer.flush();
    },
    list: () =>
      database.read(['dictations', 'audio'], (dictations, audio) =>
        readHeaders(dictations, audio, scope.has),
      ),
    async read(dictationId, from = 'start') {
      // What can't be written has been reported; what is on disk is read all the same.
      await writer.flush().catch(() => {});
      return database.read(['dictations', 'audio'], (dictations, audio) =>
        readRecording(dictations, audio, dictationId, from),
      );
    },
    async remove(dictationId) {
      forget(dictationId);
      writer.erase((audio, dictations) => eraseSession(audio, dictations, dictationId));
      await writer.flush();
    },
    removeWith: (dictationId, work) =>
      writer.inTurn(async () => {
        // A recording that is not kept whole yet needs the audio: only its words are over.
        if (audios.get(dictationId)?.isNeeded) return writeCut(dictationId, NO_WORDS_LEFT, work);
        forget(dictationId);
        await database.write(TABLES, 'strict', async (dictations, chunks, audio) => {
          await eraseSession(audio, dictations, dictationId);
          await work(dictations, chunks, audio);
        });
      }),
    async usedBytes() {
      const keys = await database.read(['audio'], (audio) =>
        promisifyRequest(audio.getAllKeys(audioOf('pcm'))),
      );
      return keys
        .map((key) => rangeOf(key))
        .reduce(
          (sum, range) => sum + (range ? rangeSamples(range) : 0) * Int16Array.BYTES_PER_ELEMENT,
          0,
        );
    },
    async dispose() {
      writer.stop();
      await writer.flush().catch(() => {});
    },
  };
}

/** Whether a frame or a mark lies before a sample. */
function isBefore(key: IDBValidKey, endSample: number): boolean {
  return isWithin(rangeOf(key) ?? markRangeOf(key), [{ startSample: 0, endSample }]);
}

function cloneForStorage<T>(value: T): T {
  try {
    return structuredClone(value);
  } catch (thrown) {
    throw toStorageError('journal', thrown);
  }
}

/**
 * Whether a session's chunks are everybody's: its tab is gone, and nothing of it is in the journal
 * any more. Until a recovery has taken the journal into the queue, the last chunk there may be cut
 * anew under the same id, and must not be sent as it is.
 */
export function createOrphanCheck(ports: {
  readonly journal: Pick<Journal, 'list'>;
  readonly locks: Pick<DictationLocks, 'isOrphan'>;
  /** Told of a session whose journal could not be looked for: it may have the rest. */
  readonly onUnread: (dictationId: string) => void;
}): (dictationId: string) => Promise<boolean> {
  const { journal, locks, onUnread } = ports;
  return async (dictationId) => {
    if (!(await locks.isOrphan(dictationId))) return false;
    // A journal that can't be read can't be recovered either, now.
    const headers = await journal.list().catch(() => null);
    if (!headers) onUnread(dictationId);
    return !headers?.some((header) => header.dictationId === dictationId);
  };
}
