import { promisifyRequest } from 'idb-keyval';
import { DATABASE_VERSION } from '../../src/core/contracts/database.ts';
import { OPEN_CHUNKS, TABLES } from './records.ts';

export type StoreName = (typeof TABLES)[number];

/** Opens a database, made if need be; of another form, nothing of it is read any more. */
export function openDatabase(databaseName: string): Promise<IDBDatabase> {
  const request = indexedDB.open(databaseName, DATABASE_VERSION);
  request.onupgradeneeded = () => {
    const { result } = request;
    for (const name of [...result.objectStoreNames]) result.deleteObjectStore(name);
    for (const name of TABLES) result.createObjectStore(name);
    request.transaction?.objectStore('chunks').createIndex(OPEN_CHUNKS, OPEN_CHUNKS);
  };
  return promisifyRequest(request);
}
