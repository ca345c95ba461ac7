import { onTestFinished, vi } from 'vitest';
import type { Clock } from '../../src/core/clock.ts';
import type { QueueItemHead } from '../../src/core/queue/queue-item.ts';
import { browserClock } from '../../src/platform/browser-clock.ts';
import { createChunkStore } from '../../workers/store/chunk-store.ts';
import {
  createDatabase,
  type Database,
  openDatabase,
  type StoreName,
} from '../../workers/store/database.ts';
import { createJournal } from '../../workers/store/journal.ts';
import { type AudioKind, audioOf, type DictationRow, rowOf } from '../../workers/store/records.ts';

/** A database name of the test's own; the database is deleted when the test is over. */
export function testDatabase(): string {
  const name = `test-${crypto.randomUUID()}`;
  onTestFinished(() => {
    indexedDB.deleteDatabase(name);
  });
  return name;
}

/** A database that is closed when the test is over. */
export function createTestDatabase(
  databaseName = testDatabase(),
  clock: Clock = browserClock,
): Database {
  const database = createDatabase({ clock, databaseName });
  onTestFinished(() => database.close());
  return database;
}

/** A queue store, and the journal beside it. */
export function createTestStores(database: Database) {
  const journal = createJournal({ database, clock: browserClock, onFailure: vi.fn() });
  onTestFinished(() => journal.dispose());
  return { journal, store: createChunkStore(database, journal) };
}

/** Runs work on an object store from outside, as another program would. */
export async function onRecords(
  databaseName: string,
  store: StoreName,
  work: (records: IDBObjectStore) => void,
): Promise<void> {
  const database = await openDatabase(databaseName);
  const transaction = database.transaction(store, 'readwrite');
  work(transaction.objectStore(store));
  await new Promise<void>((resolve, reject) => {
    transaction.onabort = () => reject(transaction.error);
    transaction.oncomplete = () => resolve();
  }).finally(() => database.close());
}

/** Changes the row of a dictation from outside; undefined deletes it. */
export async function putRow(databaseName: string, id: string, row?: unknown): Promise<void> {
  await onRecords(databaseName, 'dictations', (dictations) => {
    if (row === undefined) dictations.delete(id);
    else dictations.put(row, id);
  });
}

/** All that is stored: of one dictation, or of all. */
export type StoredDictations = {
  /** Rows of dictations, those that cannot be read left out. */
  readonly rows: readonly DictationRow[];
  readonly chunks: readonly QueueItemHead[];
  /** Records of audio by what they are. */
  readonly audio: Readonly<Record<AudioKind, number>>;
};

/** Reads what is stored of a dictation, or of all. */
export async function storedOf(databaseName: string, id?: string): Promise<StoredDictations> {
  const rows: DictationRow[] = [];
  const chunks: QueueItemHead[] = [];
  const audio = { pcm: 0, mark: 0, taken: 0, chunk: 0, block: 0 };
  await onRecords(databaseName, 'dictations', (dictations) => {
    const all = dictations.getAll();
    all.onsuccess = () => rows.push(...all.result.flatMap((row) => rowOf(row) ?? []));
  });
  await onRecords(databaseName, 'chunks', (table) => {
    const all = table.getAll();
    all.onsuccess = () => chunks.push(...all.result);
  });
  await onRecords(databaseName, 'audio', (table) => {
    for (const kind of Object.keys(audio) as AudioKind[]) {
      const counting = table.count(audioOf(kind, id));
      counting.onsuccess = () => {
        audio[kind] = counting.result;
      };
    }
  });
  return {
    rows: rows.filter((row) => id === undefined || row.id === id),
    chunks: chunks.filter(({ dictationId }) => id === undefined || dictationId === id),
    audio,
  };
}
