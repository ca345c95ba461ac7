import { promisifyRequest } from 'idb-keyval';
import { rangeSamples, type SampleRange } from '../../src/core/audio/audio-format.ts';
import type { Clock } from '../../src/core/clock.ts';
import { DikteraError } from '../../src/core/errors.ts';
import { createOwnerScope, NO_OWNER, type OwnerScope } from '../../src/core/queue/owner.ts';
import type { DictationCut, JournalCut } from '../../src/core/queue/queue-item.ts';
import {
  JOURNAL_SCHEMA_VERSION,
  type JournalHeader,
  type JournalMark,
  type JournalRecording,
} from '../../src/core/session/journal.ts';
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

/** Ports of the journal. */
export type JournalPorts = {
  readonly database: Database;
  readonly clock: Clock;
  /**
   * Called once for each cause when audio could not be written; it stays in memory and is retried.
   */
  readonly onFailure: (error: DikteraError) => void;
  /** Called when writing works again after a failure. */
  readonly onRecovered?: () => void;
  /**
   * On a full disk: gives up what can be spared elsewhere; true if anything was. Never rejects.
   * @default nothing can be
   */
  readonly spareOthers?: () => Promise<boolean>;
  /** The owner of dictations that begin, and of those that are listed. @default nobody signs in */
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

/**
 * Audio on disk before any inference.
 *
 * A recovery replays what lies after the cut, so no word is lost and none comes twice: a chunk gets
 * into the queue's store and the cut behind it in one step (`ChunkStore.put`), waited for before
 * the chunk's first upload. Where that fails the chunk may be sent all the same: the cost is a word
 * said twice after a crash, and never a word lost. It is cut again then, under the same id, and the
 * request's key names its audio, so no server answers the new audio with the old audio's text.
 *
 * Every promise rejects with `storage-failed` only, and what could not be written stays in memory
 * and is tried again.
 */
export type Journal = ReturnType<typeof createJournal>;

function isSampleIndex(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** Makes the journal on IndexedDB: short records, so that silence can be dropped bit by bit. */
export function createJournal(ports: JournalPorts) {
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

  /** Deletes audio that was cut, once no recording needs it any more. */
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
    // Audio before the cut that is not written yet need not be.
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
      const journal = row.journal ?? { schemaVersion: JOURNAL_SCHEMA_VERSION };
      return { ...row, journal: { ...journal, cut } };
    });
  }

  return {
    /**
     * Opens a dictation's journal; call it before the first `append`, which need not wait for it.
     */
    async begin(header: JournalHeader): Promise<void> {
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
    /**
     * Notes that a person has thrown a dictation away, or has it back, for whoever reads its header
     * when its page is gone.
     */
    cancelled: (dictationId: string, isCancelled: boolean): Promise<void> =>
      writer.inTurn(() =>
        database.write(['dictations'], 'strict', (dictations) =>
          changeRow(dictations, dictationId, (row) =>
            row?.journal ? { ...row, journal: { ...row.journal, isCancelled } } : (row ?? null),
          ),
        ),
      ),
    /**
     * Keeps audio: copies it at once (the caller may reuse the memory), writes it at most 200 ms
     * later. Never throws and never waits.
     */
    append(dictationId: string, startSample: number, pcm: Int16Array): void {
      if (pcm.length === 0) return;
      const { buffer } = pcm.slice();
      const key = rangeKey('pcm', dictationId, {
        startSample,
        endSample: startSample + pcm.length,
      });
      put(dictationId, startSample, { key, value: buffer, audioBytes: buffer.byteLength });
    },
    /** Keeps a discontinuity, so that a replay treats it as the dictation did. */
    mark(dictationId: string, { kind, atSample }: JournalMark): void {
      const mark = { kind, atSample };
      put(dictationId, atSample, { key: markKey(dictationId, mark), value: mark, audioBytes: 0 });
    },
    /**
     * Gives up audio found silent that no segment needs, padding before speech included. Ranges are
     * gathered and deleted now and then; what was written together goes when it lies wholly inside.
     */
    drop(dictationId: string, range: SampleRange): void {
      if (!removed.has(dictationId)) eraseRanges(dictationId, audioIn(dictationId).drop(range));
    },
    /**
     * Audio from this sample on is needed for the dictation's recording: neither `drop`, nor a cut,
     * nor the end of its words deletes it before this is called again, with a later one. One that
     * never asks keeps what its words need.
     */
    keepFrom(dictationId: string, sample: number): void {
      if (removed.has(dictationId)) return;
      const { silence, upToSample } = audioIn(dictationId).keepFrom(sample);
      eraseRanges(dictationId, silence);
      trim(dictationId, upToSample);
    },
    /**
     * Notes a cut and deletes the audio before it, in one transaction with other work on the
     * tables: all of it or nothing.
     */
    cutWith: ({ dictationId, ...cut }: DictationCut, work: TableWork): Promise<void> =>
      writer.inTurn(() => writeCut(dictationId, cut, work)),
    /** Fulfilled when all that was given of this dictation so far is on disk. */
    async flush(dictationId: string): Promise<void> {
      eraseRanges(dictationId, audios.get(dictationId)?.takeAll() ?? []);
      await writer.flush();
    },
    /** The dictations of which anything is left, oldest first. */
    list: (): Promise<readonly JournalHeader[]> =>
      database.read(['dictations', 'audio'], (dictations, audio) =>
        readHeaders(dictations, audio, scope.has),
      ),
    /**
     * A dictation's audio, all of it or what lies after the cut; undefined if nothing is left of
     * it. An unreadable piece becomes a hole with a note.
     */
    async read(
      dictationId: string,
      from: 'start' | 'cut' = 'start',
    ): Promise<JournalRecording | undefined> {
      // A failed write has been reported; the records on disk are read all the same.
      await writer.flush().catch(() => {});
      return database.read(['dictations', 'audio'], (dictations, audio) =>
        readRecording(dictations, audio, dictationId, from),
      );
    },
    /**
     * Deletes a dictation's journal: its words are in the field, or the user has thrown them away.
     * Later appends to it are ignored.
     */
    async remove(dictationId: string): Promise<void> {
      forget(dictationId);
      writer.erase((audio, dictations) => eraseSession(audio, dictations, dictationId));
      await writer.flush();
    },
    /**
     * `remove`, in one transaction with other work on the tables. Audio that a recording still
     * needs stays until `remove`; no words are left in it.
     */
    removeWith: (dictationId: string, work: TableWork): Promise<void> =>
      writer.inTurn(async () => {
        // A recording that is not kept whole yet needs the audio: only its words are over.
        if (audios.get(dictationId)?.isNeeded) return writeCut(dictationId, NO_WORDS_LEFT, work);
        forget(dictationId);
        await database.write(TABLES, 'strict', async (dictations, chunks, audio) => {
          await eraseSession(audio, dictations, dictationId);
          await work(dictations, chunks, audio);
        });
      }),
    /** Bytes of audio in the journals of all dictations. */
    async usedBytes(): Promise<number> {
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
    /** Writes what is waiting, if it can be written, and nothing later. */
    async dispose(): Promise<void> {
      writer.stop();
      await writer.flush().catch(() => {});
    },
  };
}

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
 * True if a session's chunks are everybody's: its tab is gone, and nothing of it is in the journal
 * any more. Until a recovery has taken the journal into the queue, the last chunk there may be cut
 * anew under the same id, and must not be sent as it is.
 */
export function createOrphanCheck(ports: {
  readonly journal: Pick<Journal, 'list'>;
  readonly locks: Pick<DictationLocks, 'isOrphan'>;
  /** Called with a session whose journal could not be searched: it may have the rest. */
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
