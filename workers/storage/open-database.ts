import { promisifyRequest } from 'idb-keyval';

/** The worker's database, one for all tabs of an origin. */
export const DATABASE_NAME = 'diktera';

/**
 * The form of what it holds. An upgrade deletes nothing that waits; a database that a newer Diktera
 * wrote does not open, and is left alone.
 */
const DATABASE_VERSION = 1;

/**
 * Its object stores: audio being recorded, chunks on their way to text, whole recordings, and which
 * sessions an earlier version's databases have given up to it.
 */
const STORE_NAMES = ['journal', 'queue', 'recordings', 'moved'] as const;

export type StoreName = (typeof STORE_NAMES)[number];

/** Opens a database, made if need be. */
export function openDatabase(databaseName: string): Promise<IDBDatabase> {
  const request = indexedDB.open(databaseName, DATABASE_VERSION);
  request.onupgradeneeded = () => {
    for (const name of STORE_NAMES) request.result.createObjectStore(name);
  };
  return promisifyRequest(request);
}
