import { promisifyRequest } from 'idb-keyval';
import { DATABASE_VERSION } from '../../src/core/contracts/database.ts';

/** Its object stores: audio being recorded, chunks on their way to text, whole recordings. */
const STORE_NAMES = ['journal', 'queue', 'recordings'] as const;

export type StoreName = (typeof STORE_NAMES)[number];

/** Opens a database, made if need be. */
export function openDatabase(databaseName: string): Promise<IDBDatabase> {
  const request = indexedDB.open(databaseName, DATABASE_VERSION);
  request.onupgradeneeded = () => {
    for (const name of STORE_NAMES) request.result.createObjectStore(name);
  };
  return promisifyRequest(request);
}
