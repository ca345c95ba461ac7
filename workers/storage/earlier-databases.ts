import { promisifyRequest } from 'idb-keyval';
import { withDeadline } from '../../src/core/async.ts';
import type { Clock } from '../../src/core/clock.ts';
import { sessionOf } from './journal-records.ts';
import { allHeads } from './queue-records.ts';
import { abortQuietly, runToCompletion } from './transaction.ts';

/** The databases that Diktera had before it had one. */
export const EARLIER_JOURNAL = 'diktera-journal';
export const EARLIER_QUEUE = 'diktera-queue';

/** The one object store of each. */
const RECORDS = 'records';

/** One that is not open by then waits behind somebody who keeps it from being deleted. */
const OPEN_DEADLINE_MS = 15_000;

/** A connection to an earlier database. */
export type EarlierDatabase = {
  readonly version: number;
  run<T>(
    mode: IDBTransactionMode,
    work: (records: IDBObjectStore) => T | PromiseLike<T>,
  ): Promise<T>;
  close(): void;
};

/** Opens one; null, and none is made, if there is none. */
export async function openEarlier(name: string, clock: Clock): Promise<EarlierDatabase | null> {
  const request = indexedDB.open(name);
  let isThere = true;
  request.onupgradeneeded = () => {
    isThere = false;
    request.transaction?.abort();
  };
  const opening = promisifyRequest(request).catch((thrown: unknown) => {
    if (isThere) throw thrown;
    return null;
  });
  const database = await withDeadline(clock, opening, OPEN_DEADLINE_MS, () => {
    opening.then((late) => late?.close()).catch(() => {});
    throw new DOMException(`${name} does not open`, 'TimeoutError');
  });
  if (!database) return null;
  database.addEventListener('versionchange', () => database.close());
  return {
    version: database.version,
    run: (mode, work) =>
      runToCompletion(
        database.transaction(RECORDS, mode, { durability: 'strict' }),
        (transaction) => work(transaction.objectStore(RECORDS)),
      ),
    close: () => database.close(),
  };
}

/** The sessions that an earlier journal, or queue, has something of. */
export async function sessionsIn(records: IDBObjectStore): Promise<readonly string[]> {
  const [keys, heads] = await Promise.all([
    promisifyRequest(records.getAllKeys()),
    promisifyRequest<unknown[]>(records.getAll(allHeads())),
  ]);
  const found = [
    ...keys.filter(isJournalKey).map(sessionOf),
    ...heads.map((head) => Object(head).sessionId),
  ];
  return [...new Set(found)].filter((sessionId) => typeof sessionId === 'string');
}

function isJournalKey(key: IDBValidKey): boolean {
  return Array.isArray(key) && key[0] !== 'head' && key[0] !== 'audio';
}

/**
 * Deletes an earlier database if nobody has it open and nothing is in it; true if it is gone. A
 * plain deletion would wait for those who have it open, and take along what they write meanwhile.
 */
export function deleteIfUnused(name: string, version: number): Promise<boolean> {
  return new Promise((resolve) => {
    // To raise the version is to be alone with the database.
    const request = indexedDB.open(name, version + 1);
    let isInUse = false;
    request.onblocked = () => {
      isInUse = true;
      resolve(false);
    };
    request.onupgradeneeded = () => {
      const { transaction } = request;
      if (!transaction || isInUse) return abortQuietly(transaction ?? undefined);
      sessionsIn(transaction.objectStore(RECORDS)).then(
        (sessionIds) => {
          if (sessionIds.length > 0) abortQuietly(transaction);
          // It stands in line behind this opening, before any other.
          else indexedDB.deleteDatabase(name);
        },
        () => abortQuietly(transaction),
      );
    };
    request.onsuccess = () => {
      request.result.close();
      resolve(true);
    };
    request.onerror = () => resolve(false);
  });
}
