import type { UseStore } from 'idb-keyval';
import type { Clock } from '../../src/core/clock.ts';
import { openRecords, type UseRecords } from './open-records.ts';
import { isWorthReopening, toStorageError } from './storage-error.ts';
import { abortQuietly, runToCompletion } from './transaction.ts';

/** A healthy transaction takes milliseconds; a browser that has not answered by now will not. */
const DEADLINE_MS = 15_000;

/**
 * `strict`: a write has reached the disk itself when it is complete, and with it what was written
 * before; `relaxed`: it may be in the system's memory alone, which a power cut empties. Strict is
 * dear: for what is written seldom.
 */
export type Durability = 'strict' | 'relaxed';

/** What a store needs. */
export type ReopeningStorePorts = {
  readonly databaseName: string;
  readonly clock: Clock;
  /** How durable a write is that does not say. @default 'relaxed' */
  readonly durability?: Durability;
  /** Time given to one attempt, in ms. @default 15000 */
  readonly deadlineMs?: number;
};

/** A store that outlives its connection. */
export type ReopeningStore = {
  /**
   * Runs `work` in one transaction, fulfilled when it is complete: all of it has happened, or none.
   * After a failure that a new connection may mend, `work` runs once more on one, so it must be
   * safe to repeat. Rejects with `storage-failed`; the browser's error is the `cause`. Fits
   * wherever idb-keyval takes a custom store.
   */
  readonly use: UseStore;
  /** The same for a write that is to be so durable. */
  write(durability: Durability, work: Work<void>): Promise<void>;
  /** Closes the connection; a later `use` opens a new one. */
  close(): void;
};

type Work<T> = (store: IDBObjectStore) => T | PromiseLike<T>;
type Connection = { readonly use: UseRecords; database?: IDBDatabase };
type Mode = { readonly mode: IDBTransactionMode; readonly durability: Durability };

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
    // An open connection would block deleting the database.
    database.addEventListener('versionchange', () => database.close());
    // Opened after it was given up: what runs on it ends, and nothing follows.
    if (current !== connection) database.close();
  }

  function runBefore<T>(
    connection: Connection,
    { mode, durability }: Mode,
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
      const done = connection.use(mode, durability, (objectStore) => {
        transaction = objectStore.transaction;
        adopt(transaction.db, connection);
        return runToCompletion(objectStore, isLate ? throwLate : work);
      });
      done.then(resolve, reject).finally(cancel);
    });
  }

  /** A connection that may be the cause of a failure is not used again. */
  async function attempt<T>(mode: Mode, work: Work<T>): Promise<T> {
    current ??= { use: openRecords(databaseName) };
    const connection = current;
    try {
      return await runBefore(connection, mode, work);
    } catch (thrown) {
      // Another call may have opened anew in the meantime.
      if (isWorthReopening(thrown) && current === connection) close();
      throw thrown;
    }
  }

  async function run<T>(mode: Mode, work: Work<T>): Promise<T> {
    try {
      return await attempt(mode, work).catch((thrown: unknown) => {
        if (!isWorthReopening(thrown)) throw thrown;
        return attempt(mode, work);
      });
    } catch (thrown) {
      throw toStorageError(databaseName, thrown);
    }
  }

  return {
    close,
    use: (mode, work) => run({ mode, durability }, work),
    write: (wanted, work) => run({ mode: 'readwrite', durability: wanted }, work),
  };
}

function throwLate(): never {
  throw new DOMException('Opened too late', 'TimeoutError');
}
