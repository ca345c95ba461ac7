import { promisifyRequest } from 'idb-keyval';
import { rangeSamples, type SampleRange } from '../../src/core/audio/sample-range.ts';
import type { Clock } from '../../src/core/clock.ts';
import { DikteraError } from '../../src/core/errors.ts';
import type { Journal } from '../../src/core/session/journal.ts';
import { eraseFrames, eraseMarks, eraseSession, isWithin } from './erase-journal.ts';
import {
  cutKey,
  headerKey,
  markKey,
  pcmKey,
  pcmRangeOf,
  recordsOf,
  sessionOf,
} from './journal-records.ts';
import { toPcm16 } from './pcm16.ts';
import { readHeaders, readRecording } from './read-journal.ts';
import { createReopeningStore } from './reopening-store.ts';
import { createSilenceDrops, type SilenceDrops } from './silence-drops.ts';
import { toStorageError } from './storage-error.ts';
import { createWriteBehind, type ErasureNeeds, type PendingEntry } from './write-behind.ts';

/** The journal's database, one for all tabs of an origin. */
export const JOURNAL_DATABASE_NAME = 'diktera-journal';

/** Ten minutes of 16-bit PCM at 16 kHz. */
const MAX_PENDING_BYTES = 19_200_000;

/** What the journal needs. */
export type IndexedDbJournalPorts = {
  readonly clock: Clock;
  /**
   * Told once for each cause when audio could not be written; it stays in memory and is retried.
   */
  readonly onFailure: (error: DikteraError) => void;
  /** Told when writing works again after a failure. */
  readonly onRecovered?: () => void;
  /** @default 'diktera-journal' */
  readonly databaseName?: string;
  /** Audio kept in memory while storage fails, in bytes. @default 19200000, ten minutes */
  readonly maxPendingBytes?: number;
};

/** A journal and its connection. */
export type IndexedDbJournal = Journal & {
  /** Writes what is waiting, if it can be written, and closes the connection. */
  dispose(): Promise<void>;
};

function isSampleIndex(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/**
 * Makes the journal on IndexedDB: one record a frame, so that silence can be dropped frame by
 * frame.
 */
export function createIndexedDbJournal(ports: IndexedDbJournalPorts): IndexedDbJournal {
  const { clock, onFailure, databaseName = JOURNAL_DATABASE_NAME } = ports;
  const store = createReopeningStore({ databaseName, clock });
  const writer = createWriteBehind({
    store,
    clock,
    onFailure,
    onRecovered: ports.onRecovered ?? (() => {}),
    maxPendingBytes: ports.maxPendingBytes ?? MAX_PENDING_BYTES,
  });
  const drops = new Map<string, SilenceDrops>();
  const removed = new Set<string>();

  /** A record without a valid key would make every write fail that it is part of. */
  function put(sessionId: string, atSample: number, entry: PendingEntry): void {
    if (removed.has(sessionId)) return;
    if (isSampleIndex(atSample)) writer.put(entry);
    else onFailure(new DikteraError('storage-failed', `Not a sample index: ${atSample}`));
  }

  function eraseRanges(
    sessionId: string,
    ranges: readonly SampleRange[],
    needs: ErasureNeeds,
  ): void {
    if (ranges.length === 0) return;
    writer.forget((key) => sessionOf(key) === sessionId && isWithin(pcmRangeOf(key), ranges));
    writer.erase((objectStore) => eraseFrames(objectStore, sessionId, ranges), needs);
  }

  /** Queued behind the write of the cut: the deletion is never on disk before it. */
  function trim(sessionId: string, cutUpToSample: number): void {
    if (removed.has(sessionId) || !isSampleIndex(cutUpToSample)) return;
    eraseRanges(sessionId, [{ startSample: 0, endSample: cutUpToSample }], 'records');
    writer.erase((objectStore) => eraseMarks(objectStore, sessionId, cutUpToSample), 'records');
  }

  return {
    async begin(header) {
      removed.delete(header.sessionId);
      const value = cloneForStorage(header, databaseName);
      writer.put({ key: headerKey(header.sessionId), value, audioBytes: 0 });
      await writer.flush();
    },
    append(sessionId, startSample, samples) {
      if (samples.length === 0) return;
      const { buffer } = toPcm16(samples);
      const key = pcmKey(sessionId, { startSample, endSample: startSample + samples.length });
      put(sessionId, startSample, { key, value: buffer, audioBytes: buffer.byteLength });
    },
    mark(sessionId, { kind, atSample }) {
      const mark = { kind, atSample };
      put(sessionId, atSample, { key: markKey(sessionId, mark), value: mark, audioBytes: 0 });
    },
    drop(sessionId, range) {
      if (removed.has(sessionId)) return;
      const gathered = drops.get(sessionId) ?? createSilenceDrops();
      drops.set(sessionId, gathered);
      eraseRanges(sessionId, gathered.add(range), 'nothing');
    },
    async setCut(sessionId, { nextChunkNumber, cutUpToSample, isInSpeech }) {
      const value = { nextChunkNumber, cutUpToSample, isInSpeech };
      put(sessionId, cutUpToSample, { key: cutKey(sessionId), value, audioBytes: 0 });
      trim(sessionId, cutUpToSample);
      await writer.flush();
    },
    async flush(sessionId) {
      eraseRanges(sessionId, drops.get(sessionId)?.takeAll() ?? [], 'nothing');
      await writer.flush();
    },
    list: () => store.use('readonly', readHeaders),
    async read(sessionId, from = 'start') {
      // What can't be written has been reported; what is on disk is read all the same.
      await writer.flush().catch(() => {});
      return store.use('readonly', (objectStore) => readRecording(objectStore, sessionId, from));
    },
    async remove(sessionId) {
      removed.add(sessionId);
      drops.delete(sessionId);
      writer.forget((key) => sessionOf(key) === sessionId);
      writer.erase((objectStore) => eraseSession(objectStore, sessionId), 'nothing');
      await writer.flush();
    },
    async usedBytes() {
      const keys = await store.use('readonly', (objectStore) =>
        promisifyRequest(objectStore.getAllKeys(recordsOf('pcm'))),
      );
      return keys
        .map((key) => pcmRangeOf(key))
        .reduce(
          (sum, range) => sum + (range ? rangeSamples(range) : 0) * Int16Array.BYTES_PER_ELEMENT,
          0,
        );
    },
    async dispose() {
      writer.stop();
      await writer.flush().catch(() => {});
      store.close();
    },
  };
}

function cloneForStorage<T>(value: T, databaseName: string): T {
  try {
    return structuredClone(value);
  } catch (thrown) {
    throw toStorageError(databaseName, thrown);
  }
}
