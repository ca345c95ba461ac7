import { promisifyRequest } from 'idb-keyval';

/** The one object store of each database. */
const OBJECT_STORE_NAME = 'records';

/** A transaction's work on the one object store. */
export type UseRecords = <T>(
  mode: IDBTransactionMode,
  durability: IDBTransactionDurability,
  work: (store: IDBObjectStore) => T | PromiseLike<T>,
) => Promise<T>;

/**
 * Opens a database at the first use, once. As idb-keyval's `createStore`, which cannot say how
 * durable a write must be.
 */
export function openRecords(databaseName: string): UseRecords {
  let opening: Promise<IDBDatabase> | undefined;

  function open(): Promise<IDBDatabase> {
    const request = indexedDB.open(databaseName);
    request.onupgradeneeded = () => request.result.createObjectStore(OBJECT_STORE_NAME);
    return promisifyRequest(request);
  }

  return async (mode, durability, work) => {
    opening ??= open();
    const transaction = (await opening).transaction(OBJECT_STORE_NAME, mode, { durability });
    return work(transaction.objectStore(OBJECT_STORE_NAME));
  };
}
