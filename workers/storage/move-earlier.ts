import { promisifyRequest } from 'idb-keyval';
import type { Clock } from '../../src/core/clock.ts';
import { DikteraError } from '../../src/core/errors.ts';
import type { Logger } from '../../src/core/logger.ts';
import {
  deleteIfUnused,
  EARLIER_JOURNAL,
  EARLIER_QUEUE,
  type EarlierDatabase,
  openEarlier,
  sessionsIn,
} from './earlier-databases.ts';
import { upgradeHead } from './earlier-heads.ts';
import { type ReleaseLock, takeLockNow } from './held-lock.ts';
import { JOURNAL_RECORD_KINDS, recordsOf } from './journal-records.ts';
import { allHeads, audioKey, headKey } from './queue-records.ts';
import { createDatabase, type Database } from './reopening-database.ts';
import type { SessionLocks } from './session-lock.ts';

/**
 * Every tab of an earlier version has this lock or waits for it, from about a second after its
 * start: the turn to send what waited.
 */
const EARLIER_TABS_LOCK = 'diktera:drain';

/** A session is moved in one transaction: an hour that could not be encoded is 115 MB. */
const MOVE_DEADLINE_MS = 600_000;

/** A record as it is stored. */
type StoredRecord = readonly [key: IDBValidKey, value: unknown];

/** All that there is of a session. */
type SessionRecords = {
  readonly journal: readonly StoredRecord[];
  readonly queue: readonly StoredRecord[];
};

type Earlier = { readonly journal: EarlierDatabase | null; readonly queue: EarlierDatabase | null };

export type EarlierMovePorts = {
  readonly clock: Clock;
  readonly log: Logger;
  readonly locks: LockManager | undefined;
  readonly sessionLocks: Pick<SessionLocks, 'takeOrphan'>;
  /** @default 'diktera' */
  readonly databaseName?: string;
};

/** Brings what waits in the databases of an earlier version into the one there is now. */
export type EarlierMove = {
  /**
   * Moves what nobody has open, and deletes a database that is empty then. While a tab of the
   * earlier version lives it is left all it has: asked again, this picks up what it leaves. True if
   * anything was moved. Rejects with the browser's error, or `storage-failed`.
   */
  move(): Promise<boolean>;
};

/**
 * Makes a move. A session goes in one piece, under its lock: copied in one transaction that also
 * says so, read back, deleted where it was. Killed in between, it is not copied again: somebody may
 * have sent it meanwhile.
 */
export function createEarlierMove(ports: EarlierMovePorts): EarlierMove {
  const { clock, log, locks, sessionLocks, databaseName } = ports;
  let isDone = false;

  async function moveAll(database: Database): Promise<boolean> {
    const earlier: Earlier = {
      journal: await openEarlier(EARLIER_JOURNAL, clock),
      queue: await openEarlier(EARLIER_QUEUE, clock),
    };
    let hasMoved = false;
    try {
      const [recorded = [], queued = []] = await Promise.all([
        earlier.journal?.run('readonly', sessionsIn),
        earlier.queue?.run('readonly', sessionsIn),
      ]);
      const left = new Set([...recorded, ...queued]);
      for (const sessionId of [...left]) {
        if (!(await isMoved(sessionId, earlier, database))) continue;
        left.delete(sessionId);
        hasMoved = true;
      }
      if (earlier.journal || earlier.queue) await forgetMoved(database, left);
    } finally {
      earlier.journal?.close();
      earlier.queue?.close();
    }
    const isJournalGone = await isDeleted(EARLIER_JOURNAL, earlier.journal);
    const isQueueGone = await isDeleted(EARLIER_QUEUE, earlier.queue);
    isDone = isJournalGone && isQueueGone;
    if (hasMoved) log.info('What an earlier version had stored was moved');
    return hasMoved;
  }

  /** One that fails now is tried at the next look, and does not keep the others waiting. */
  async function isMoved(
    sessionId: string,
    earlier: Earlier,
    database: Database,
  ): Promise<boolean> {
    const release = await sessionLocks.takeOrphan(sessionId);
    if (!release) return false;
    try {
      await moveSession(sessionId, earlier, database);
      return true;
    } catch (thrown) {
      log.error('A recording of an earlier version could not be moved', thrown, sessionId);
      return false;
    } finally {
      release();
    }
  }

  return {
    async move() {
      if (isDone) return false;
      const release = await takeEarlierTabs(locks, clock);
      if (!release) return false;
      const database = createDatabase({
        clock,
        deadlineMs: MOVE_DEADLINE_MS,
        ...(databaseName === undefined ? {} : { databaseName }),
      });
      return moveAll(database).finally(() => {
        database.close();
        release();
      });
    },
  };
}

/** Undefined while a tab of the earlier version lives. Without locks there is one tab only. */
async function takeEarlierTabs(
  locks: LockManager | undefined,
  clock: Clock,
): Promise<ReleaseLock | undefined> {
  return locks ? takeLockNow(locks, EARLIER_TABS_LOCK, clock) : () => {};
}

async function isDeleted(name: string, earlier: EarlierDatabase | null): Promise<boolean> {
  return earlier === null || deleteIfUnused(name, earlier.version);
}

async function moveSession(sessionId: string, earlier: Earlier, database: Database): Promise<void> {
  const isCopied = await database.read(['moved'], (moved) =>
    promisifyRequest<unknown>(moved.get(sessionId)),
  );
  const found: SessionRecords = {
    journal: (await earlier.journal?.run('readonly', (from) => readJournal(from, sessionId))) ?? [],
    queue: (await earlier.queue?.run('readonly', (from) => readQueue(from, sessionId))) ?? [],
  };
  if (!isCopied) await copy(sessionId, found, database);
  await earlier.queue?.run('readwrite', (from) => deleteAll(from, found.queue));
  await earlier.journal?.run('readwrite', (from) => deleteAll(from, found.journal));
}

/** Sessions that are not where they were need no note that they were copied. */
async function forgetMoved(database: Database, left: ReadonlySet<string>): Promise<void> {
  await database.write(['moved'], 'relaxed', async (moved) => {
    for (const key of await promisifyRequest(moved.getAllKeys())) {
      if (typeof key === 'string' && !left.has(key)) moved.delete(key);
    }
  });
}

async function readJournal(from: IDBObjectStore, sessionId: string): Promise<StoredRecord[]> {
  const kinds = JOURNAL_RECORD_KINDS.map(async (kind): Promise<StoredRecord[]> => {
    const range = recordsOf(kind, sessionId);
    const [keys, values] = await Promise.all([
      promisifyRequest(from.getAllKeys(range)),
      promisifyRequest<unknown[]>(from.getAll(range)),
    ]);
    return keys.map((key, index) => [key, values[index]]);
  });
  return (await Promise.all(kinds)).flat();
}

async function readQueue(from: IDBObjectStore, sessionId: string): Promise<StoredRecord[]> {
  const [version, heads] = await Promise.all([
    promisifyRequest<unknown>(from.get(['schema'])),
    promisifyRequest<unknown[]>(from.getAll(allHeads())),
  ]);
  const own = heads.filter((head) => Object(head).sessionId === sessionId);
  const items = own.map(async (head): Promise<StoredRecord[]> => {
    const id = String(Object(head).id);
    return [
      [headKey(id), upgradeHead(head, version)],
      [audioKey(id), await promisifyRequest<unknown>(from.get(audioKey(id)))],
    ];
  });
  return (await Promise.all(items)).flat();
}

function deleteAll(from: IDBObjectStore, records: readonly StoredRecord[]): void {
  for (const [key] of records) from.delete(key);
}

async function copy(sessionId: string, found: SessionRecords, database: Database): Promise<void> {
  await database.write(['journal', 'queue', 'moved'], 'strict', (journal, queue, moved) => {
    for (const [key, value] of found.journal) journal.put(value, key);
    for (const [key, value] of found.queue) queue.put(value, key);
    moved.put(true, sessionId);
  });
  const isWhole = await database.read(['journal', 'queue'], async (journal, queue) => {
    const checks = [holdsAll(journal, found.journal), holdsAll(queue, found.queue)];
    return (await Promise.all(checks)).every((isThere) => isThere);
  });
  if (isWhole) return;
  await database.write(['moved'], 'strict', (moved) => void moved.delete(sessionId));
  throw new DikteraError(
    'storage-failed',
    'What an earlier version had stored was not moved whole',
  );
}

async function holdsAll(store: IDBObjectStore, records: readonly StoredRecord[]): Promise<boolean> {
  const checks = records.map(async ([key, value]) => {
    const stored = await promisifyRequest<unknown>(store.get(key));
    return sizeOf(stored) === sizeOf(value);
  });
  return (await Promise.all(checks)).every((isThere) => isThere);
}

/** Enough to see that a record came through whole: the bytes of audio, the length of a note. */
function sizeOf(value: unknown): number {
  if (value instanceof ArrayBuffer) return value.byteLength;
  const { bytes } = Object(value);
  if (bytes instanceof ArrayBuffer) return bytes.byteLength;
  return JSON.stringify(value)?.length ?? -1;
}
