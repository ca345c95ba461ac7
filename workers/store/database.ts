import { promisifyRequest } from 'idb-keyval';
import type { CancelTimer, Clock } from '../../src/core/clock.ts';
import { DATABASE_NAME, DATABASE_VERSION } from '../../src/core/contracts/database.ts';
import { DikteraError } from '../../src/core/errors.ts';
import type { SnapshotEvent } from '../../src/core/session/snapshot.ts';
import { withDeadline } from '../../src/platform/deadline.ts';
import { OPEN_CHUNKS, TABLES } from './records.ts';

/** A healthy transaction takes milliseconds; a browser that has not answered by now will not. */
const DEADLINE_MS = 15_000;

/**
 * `strict`: a write has reached the disk itself when it is complete, and with it what was written
 * before; `relaxed`: it may be in the system's memory alone, which a power cut empties. Strict is
 * dear: for what is written seldom.
 */
type Durability = 'strict' | 'relaxed';

/** Ports of a database. */
type DatabasePorts = {
  readonly clock: Clock;
  /** @default 'diktera' */
  readonly databaseName?: string;
};

type Stores<Names extends readonly StoreName[]> = {
  readonly [Index in keyof Names]: IDBObjectStore;
};

/** Work in a transaction; it is given the object stores that were named, in that order. */
type Work<Names extends readonly StoreName[], T> = (...stores: Stores<Names>) => T | PromiseLike<T>;

/**
 * A database that outlives its connection. Each call is one transaction over the object stores it
 * names, fulfilled when that is complete: all of it has happened, or none. After a failure that a
 * new connection may mend, `work` runs once more on one, so it must be safe to repeat. Rejects with
 * `storage-failed`; the browser's error is the `cause`.
 */
export type Database = {
  read<T, const Names extends readonly StoreName[]>(names: Names, work: Work<Names, T>): Promise<T>;
  write<T, const Names extends readonly StoreName[]>(
    names: Names,
    durability: Durability,
    work: Work<Names, T>,
  ): Promise<T>;
  /** Closes the connection; a later call opens a new one. */
  close(): void;
};

type Connection = { readonly opening: Promise<IDBDatabase>; database?: IDBDatabase };
type Begin = (database: IDBDatabase) => IDBTransaction;

/** Makes a database; it is opened at the first use. */
export function createDatabase(ports: DatabasePorts): Database {
  const { clock, databaseName = DATABASE_NAME } = ports;
  let current: Connection | undefined;
  /**
   * Over when the transaction asked for last is. One at a time: a worker that ends with two under
   * way leaves WebKit a database on which no transaction ever runs again (bug 324094).
   */
  let lastTurn: Promise<void> = Promise.resolve();

  function close(): void {
    current?.database?.close();
    current = undefined;
  }

  function connect(): Connection {
    const connection: Connection = { opening: openDatabase(databaseName) };
    const adopt = (database: IDBDatabase): void => {
      connection.database = database;
      // An open connection would block deleting the database, and a newer version.
      database.addEventListener('versionchange', () => database.close());
      // Opened after it was given up: nothing runs on it.
      if (current !== connection) database.close();
    };
    connection.opening.then(adopt, () => {});
    return connection;
  }

  function runInTurn<T>(
    { opening }: Connection,
    begin: Begin,
    work: (transaction: IDBTransaction) => T | PromiseLike<T>,
  ): Promise<T> {
    const turn = lastTurn;
    const answer = new Promise<T>((resolve, reject) => {
      let transaction: IDBTransaction | undefined;
      let isLate = false;
      const cancel = clock.after(DEADLINE_MS, () => {
        isLate = true;
        reject(new DOMException(`No answer within ${DEADLINE_MS} ms`, 'TimeoutError'));
        // A write that came through later could undo a newer one.
        abortQuietly(transaction);
      });
      const done = Promise.all([opening, turn]).then(([database]) => {
        // It has been given up, and what is next may have begun.
        if (isLate) throw new DOMException('Its turn came too late', 'TimeoutError');
        transaction = begin(database);
        return runToCompletion(transaction, work);
      });
      done.then(resolve, reject).finally(cancel);
    });
    lastTurn = answer.then(
      () => {},
      () => {},
    );
    return answer;
  }

  /** A connection that may be the cause of a failure is not used again. */
  async function attempt<T>(
    begin: Begin,
    work: (transaction: IDBTransaction) => T | PromiseLike<T>,
  ): Promise<T> {
    current ??= connect();
    const connection = current;
    try {
      return await runInTurn(connection, begin, work);
    } catch (thrown) {
      // Another call may have opened anew in the meantime.
      if (isWorthReopening(thrown) && current === connection) close();
      throw thrown;
    }
  }

  async function run<T, Names extends readonly StoreName[]>(
    names: Names,
    begin: Begin,
    work: Work<Names, T>,
  ): Promise<T> {
    const onStores = (transaction: IDBTransaction) => {
      const stores = names.map((name) => transaction.objectStore(name));
      return work(...(stores as unknown as Stores<Names>));
    };
    try {
      return await attempt(begin, onStores).catch((thrown: unknown) => {
        if (!isWorthReopening(thrown)) throw thrown;
        return attempt(begin, onStores);
      });
    } catch (thrown) {
      throw toStorageError(databaseName, thrown);
    }
  }

  return {
    close,
    read: (names, work) => run(names, (database) => database.transaction(names, 'readonly'), work),
    write: (names, durability, work) =>
      run(names, (database) => database.transaction(names, 'readwrite', { durability }), work),
  };
}

/**
 * Runs `work` in a transaction. Fulfilled when the transaction is complete; rejects with the error
 * that ended it, or with what `work` threw, and then nothing has been written.
 */
async function runToCompletion<T>(
  transaction: IDBTransaction,
  work: (transaction: IDBTransaction) => T | PromiseLike<T>,
): Promise<T> {
  const completion = whenComplete(transaction);
  const [worked, completed] = await Promise.allSettled([
    workOrAbort(transaction, work),
    completion,
  ]);
  // A request of an aborted transaction may reject with null, before that has its error.
  if (worked.status === 'rejected' && worked.reason) throw worked.reason;
  if (completed.status === 'rejected') throw completed.reason;
  if (worked.status === 'rejected') throw worked.reason;
  return worked.value;
}

/** Ends a transaction with all that was asked of it; harmless when it is over. */
function abortQuietly(transaction: IDBTransaction | undefined): void {
  try {
    transaction?.abort();
  } catch {
    // The transaction is over already.
  }
}

/** Aborts a transaction whose work throws: its requests must not be committed. */
async function workOrAbort<T>(
  transaction: IDBTransaction,
  work: (transaction: IDBTransaction) => T | PromiseLike<T>,
): Promise<T> {
  try {
    return await work(transaction);
  } catch (thrown) {
    abortQuietly(transaction);
    throw thrown;
  }
}

function whenComplete(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    let requestError: DOMException | null = null;
    transaction.addEventListener('complete', () => resolve());
    // Bubbles up from the request, when the transaction itself does not know its error yet.
    transaction.addEventListener('error', ({ target }) => {
      if (target instanceof IDBRequest) requestError ??= target.error;
    });
    transaction.addEventListener('abort', () => {
      const aborted = new DOMException('Transaction aborted', 'AbortError');
      reject(transaction.error ?? requestError ?? aborted);
    });
  });
}

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

/** Failures that a new connection cannot mend: the disk is full, the data or the code is wrong. */
const LASTING: ReadonlySet<string> = new Set([
  'QuotaExceededError',
  'DataCloneError',
  'DataError',
  'VersionError',
]);

function nameOf(thrown: unknown): string {
  return thrown instanceof Error || thrown instanceof DOMException ? thrown.name : 'Error';
}

/**
 * True if opening the database anew may help: a lost connection ("Connection to Indexed Database
 * server lost" in WebKit), one that is closing, a failed open, an aborted transaction, no answer.
 */
function isWorthReopening(thrown: unknown): boolean {
  return !(thrown instanceof DikteraError) && !LASTING.has(nameOf(thrown));
}

/** The typed error of any failure in storage; what the browser threw is its `cause`. */
export function toStorageError(databaseName: string, thrown: unknown): DikteraError {
  if (thrown instanceof DikteraError) return thrown;
  const message = thrown instanceof Error || thrown instanceof DOMException ? thrown.message : '';
  return new DikteraError(
    'storage-failed',
    `Storage "${databaseName}" failed: ${nameOf(thrown)}${message ? `: ${message}` : ''}`,
    { cause: thrown },
  );
}

export function isFull(thrown: unknown): boolean {
  return storageCauseName(toStorageError('', thrown)) === 'QuotaExceededError';
}

/** The browser's name for what went wrong, such as `QuotaExceededError`: tells causes apart. */
export function storageCauseName(error: DikteraError): string {
  return error.cause === undefined ? error.message : nameOf(error.cause);
}

/** Speech fills the journal by 32 kB/s: room for about 25 minutes. */
const LOW_BYTES = 50_000_000;

/** Interval of looking at the disk while recording. */
const LOOK_INTERVAL_MS = 30_000;

type DiskWatchPorts = {
  /** The browser's own guess; may reject where there is none. */
  readonly estimate: () => Promise<StorageEstimate>;
  readonly clock: Clock;
  readonly dispatch: (event: SnapshotEvent) => void;
};

/** Says early that the disk is nearly full. */
export type DiskWatch = ReturnType<typeof createDiskWatch>;

/** Makes a watch on the room that the browser gives this site. */
export function createDiskWatch({ estimate, clock, dispatch }: DiskWatchPorts) {
  let isRunning = false;
  let cancel: CancelTimer = () => {};

  async function look(): Promise<void> {
    try {
      const { quota, usage = 0 } = await withDeadline(clock, estimate(), LOOK_INTERVAL_MS, () => {
        throw new Error('No answer');
      });
      const isLow = quota !== undefined && quota - usage < LOW_BYTES;
      const notice = 'storage-low';
      dispatch(
        isLow ? { kind: 'notice-raised', notice, error: null } : { kind: 'notice-cleared', notice },
      );
    } catch {
      // A browser that can't tell: a full disk will be told by what can't be written.
    }
    if (isRunning) cancel = clock.after(LOOK_INTERVAL_MS, () => void look());
  }

  return {
    /** Looks now, and now and then until `stop`. */
    start(): void {
      if (isRunning) return;
      isRunning = true;
      void look();
    },
    stop(): void {
      isRunning = false;
      cancel();
    },
  };
}
