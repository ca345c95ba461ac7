import { createStore, type UseStore } from 'idb-keyval';
import type { Clock } from '../../src/core/clock.ts';
import { isWorthReopening, toStorageError } from './storage-error.ts';

/** The one object store of each database. */
const OBJECT_STORE_NAME = 'records';

/** A healthy transaction takes milliseconds; a browser that has not answered by now will not. */
const DEADLINE_MS = 15_000;

/** What a store needs. */
export type ReopeningStorePorts = {
  readonly databaseName: string;
  readonly clock: Clock;
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

/** Fulfilled when a transaction is complete; rejects with the error that ended it. */
function whenComplete(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    let requestError: DOMException | null = null;
    transaction.addEventListener('complete', () => resolve());
    // Bubbles up from the request, when the transaction itself does not know its error yet.
    transaction.addEventListener('error', ({ target }) => {
      if (target instanceof IDBRequest) requestError ??= target.error;
    });
    transaction.addEventListener('abort', () => {
      reject(
        transaction.error ?? requestError ?? new DOMException('Transaction aborted', 'AbortError'),
      );
    });
  });
}

function abortQuietly(transaction: IDBTransaction | undefined): void {
  try {
    transaction?.abort();
  } catch {
    // It is over already.
  }
}

/** Ends a transaction nobody waits for any more: a late write could undo a newer one. */
function abortLate(transaction: IDBTransaction): DOMException {
  transaction.abort();
  return new DOMException('Opened too late', 'TimeoutError');
}

/** Makes a store on a database of its own. */
export function createReopeningStore(ports: ReopeningStorePorts): ReopeningStore {
  const { databaseName, clock, deadlineMs = DEADLINE_MS } = ports;
  let current: { use: UseStore; connection?: IDBDatabase } | undefined;

  function connect(): { use: UseStore; connection?: IDBDatabase } {
    current ??= { use: createStore(databaseName, OBJECT_STORE_NAME) };
    return current;
  }

  function close(): void {
    current?.connection?.close();
    current = undefined;
  }

  function adopt(connection: IDBDatabase, owner: { connection?: IDBDatabase }): void {
    if (owner.connection === connection) return;
    owner.connection = connection;
    // Whoever deletes or upgrades the database waits for us otherwise.
    connection.addEventListener('versionchange', () => connection.close());
  }

  async function attempt<T>(
    mode: IDBTransactionMode,
    work: (store: IDBObjectStore) => T | PromiseLike<T>,
  ): Promise<T> {
    const owner = connect();
    let transaction: IDBTransaction | undefined;
    let isLate = false;

    const done = owner.use(mode, async (objectStore) => {
      transaction = objectStore.transaction;
      adopt(transaction.db, owner);
      if (isLate) throw abortLate(transaction);
      const completion = whenComplete(transaction);
      const [worked, completed] = await Promise.allSettled([
        // Anything thrown undoes what the work did before: idb-keyval would let it be committed.
        (async () => work(objectStore))().catch((thrown: unknown) => {
          abortQuietly(transaction);
          throw thrown;
        }),
        completion,
      ]);
      if (worked.status === 'rejected') throw worked.reason ?? reasonOf(completed);
      if (completed.status === 'rejected') throw completed.reason;
      return worked.value;
    });

    return new Promise<T>((resolve, reject) => {
      const cancel = clock.after(deadlineMs, () => {
        isLate = true;
        abortQuietly(transaction);
        reject(new DOMException(`No answer within ${deadlineMs} ms`, 'TimeoutError'));
      });
      done.then(resolve, reject).finally(cancel);
    });
  }

  return {
    close,
    async use(mode, work) {
      const first = connect();
      try {
        return await attempt(mode, work);
      } catch (thrown) {
        if (!isWorthReopening(thrown)) throw toStorageError(databaseName, thrown);
        // Another call may have opened anew in the meantime.
        if (current === first) close();
      }
      try {
        return await attempt(mode, work);
      } catch (thrown) {
        throw toStorageError(databaseName, thrown);
      }
    },
  };
}

function reasonOf(result: PromiseSettledResult<unknown>): unknown {
  return result.status === 'rejected' ? result.reason : undefined;
}
