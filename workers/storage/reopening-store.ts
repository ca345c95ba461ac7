import type { UseStore } from 'idb-keyval';
import type { Clock } from '../../src/core/clock.ts';
import { openRecords } from './open-records.ts';
import { isWorthReopening, toStorageError } from './storage-error.ts';
import { abortQuietly, runToCompletion } from './transaction.ts';

/** A healthy transaction takes milliseconds; a browser that has not answered by now will not. */
const DEADLINE_MS = 15_000;

/** What a store needs. */
export type ReopeningStorePorts = {
  readonly databaseName: string;
  readonly clock: Clock;
  /**
   * `strict`: a write has reached the disk itself when it is complete, and not the system's memory alone,
   * which a power cut empties. Dear: for what is written seldom. @default 'relaxed'
   */
  readonly durability?: 'strict' | 'relaxed';
  /** Time given to one attempt, in ms. @default 15000 */
  readonly deadlineMs?: number;
};

/** A store that outlives its connection. */
export type ReopeningStore = {
  /**
   * Runs `work` in one transaction, fulfilled when it is complete: all of it has happened, or none.
   * After a failure that a new connection may mend, `work` runs once more on one, so it must be safe
   * to repeat. Rejects with `storage-failed`; the browser's error is the `cause`. Fits wherever
   * idb-keyval takes a custom store.
   */
  readonly use: UseStore;
  /** Closes the connection; a later `use` opens a new one. */
  close(): void;
};

type Work<T> = (store: IDBObjectStore) => T | PromiseLike<T>;
type Connection = { readonly use: UseStore; database?: IDBDatabase };

/** Makes a store on a database of its own. */
export function createReopeningStore(ports: ReopeningStorePorts): ReopeningStore {
  const { databaseName, clock, durability = 'relaxed', deadlineMs = DEADLINE_MS } = ports;
  let current: Connection | undefined;

  function close(): void {
    current?.database?.close();
    current = undefined;
  }

  function adopt(database: IDBDatabase, connection: Connection): void {
    if (connection.database === database) return;
    connection.database = database;
    // Whoever deletes the database waits for us otherwise.
    database.addEventListener('versionchange', () => database.close());
    // Opened after it was given up: what runs on it ends, and nothing follows.
    if (current !== connection) database.close();
  }

  function runBefore<T>(
    connection: Connection,
    mode: IDBTransactionMode,
    work: Work<T>,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      let transaction: IDBTransaction | undefined;
      let isLate = false;
      const cancel = clock.after(deadlineMs, () => {
        // A write that came through later could undo a newer one.
        isLate = true;
        abortQuietly(transaction);
        reject(new DOMException(`No answer within ${deadlineMs} ms`, 'TimeoutError'));
      });
      const done = connection.use(mode, (objectStore) => {
        transaction = objectStore.transaction;
        adopt(transaction.db, connection);
        return runToCompletion(objectStore, isLate ? throwLate : work);
      });
      done.then(resolve, reject).finally(cancel);
    });
  }

  /** A connection that may be the cause of a failure is not used again. */
  async function attempt<T>(mode: IDBTransactionMode, work: Work<T>): Promise<T> {
    current ??= { use: openRecords(databaseName, durability) };
    const connection = current;
    try {
      return await runBefore(connection, mode, work);
    } catch (thrown) {
      // Another call may have opened anew in the meantime.
      if (isWorthReopening(thrown) && current === connection) close();
      throw thrown;
    }
  }

  return {
    close,
    async use(mode, work) {
      try {
        return await attempt(mode, work).catch((thrown: unknown) => {
          if (!isWorthReopening(thrown)) throw thrown;
          return attempt(mode, work);
        });
      } catch (thrown) {
        throw toStorageError(databaseName, thrown);
      }
    },
  };
}

function throwLate(): never {
  throw new DOMException('Opened too late', 'TimeoutError');
}
