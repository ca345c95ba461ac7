import { onTestFinished, vi } from 'vitest';
import type { Clock } from '../../src/core/clock.ts';
import { browserClock } from '../../src/platform/browser-clock.ts';
import { createIndexedDbJournal } from '../../workers/store/indexed-db-journal.ts';
import { createIndexedDbQueueStore } from '../../workers/store/indexed-db-queue-store.ts';
import { openDatabase, type StoreName } from '../../workers/store/open-database.ts';
import { createDatabase, type Database } from '../../workers/store/reopening-database.ts';

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
  const journal = createIndexedDbJournal({ database, clock: browserClock, onFailure: vi.fn() });
  onTestFinished(() => journal.dispose());
  return { journal, store: createIndexedDbQueueStore(database, journal) };
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

/** How many records of a kind an object store holds. */
export async function countRecords(
  databaseName: string,
  store: StoreName,
  kind: string,
): Promise<number> {
  let count = 0;
  await onRecords(databaseName, store, (records) => {
    const request = records.count(IDBKeyRange.bound([kind], [kind, []]));
    request.onsuccess = () => {
      count = request.result;
    };
  });
  return count;
}
