import { onTestFinished } from 'vitest';

/** A database name of the test's own; the database is deleted when the test is over. */
export function testDatabase(): string {
  const name = `test-${crypto.randomUUID()}`;
  onTestFinished(() => {
    indexedDB.deleteDatabase(name);
  });
  return name;
}

/** Runs work on a store database's records from outside, as another program would. */
export function onRecords(
  databaseName: string,
  work: (records: IDBObjectStore) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(databaseName);
    opening.onupgradeneeded = () => opening.result.createObjectStore('records');
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const transaction = opening.result.transaction('records', 'readwrite');
      transaction.onabort = () => reject(transaction.error);
      transaction.oncomplete = () => {
        opening.result.close();
        resolve();
      };
      work(transaction.objectStore('records'));
    };
  });
}

/** How many records of a kind a store database holds. */
export async function countRecords(databaseName: string, kind: string): Promise<number> {
  let count = 0;
  await onRecords(databaseName, (records) => {
    const request = records.count(IDBKeyRange.bound([kind], [kind, []]));
    request.onsuccess = () => {
      count = request.result;
    };
  });
  return count;
}
