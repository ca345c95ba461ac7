import { onTestFinished, vi } from 'vitest';

/** A fault put into the browser's storage; taken out when the test is over. */
export type StorageFault = {
  /** How often it has struck. */
  failures(): number;
  heal(): void;
};

/** As much of an open request as those who open a database look at. */
type OpenRequest = Pick<
  IDBOpenDBRequest,
  'error' | 'result' | 'onerror' | 'onsuccess' | 'onupgradeneeded'
>;

/**
 * Lets the next openings of any database fail, as WebKit does when it has lost its server, or hang
 * until the fault is healed.
 */
export function failOpening(times: number, how: 'fail' | 'hang' = 'fail'): StorageFault {
  const open = IDBFactory.prototype.open;
  const held: (() => void)[] = [];
  let struck = 0;
  const spy = vi.spyOn(IDBFactory.prototype, 'open');
  spy.mockImplementation(function (this: IDBFactory, ...args) {
    if (struck >= times) return open.apply(this, args);
    struck += 1;
    const fake = {} as { -readonly [K in keyof OpenRequest]: OpenRequest[K] };
    if (how === 'fail') {
      fake.error = new DOMException('Connection to Indexed Database server lost', 'UnknownError');
      queueMicrotask(() => fake.onerror?.call(fake as IDBOpenDBRequest, new Event('error')));
    } else {
      held.push(() => forward(open.apply(this, args), fake));
    }
    return fake as IDBOpenDBRequest;
  });
  const heal = () => {
    spy.mockRestore();
    for (const answer of held.splice(0)) answer();
  };
  onTestFinished(heal);
  return { failures: () => struck, heal };
}

function forward(
  real: IDBOpenDBRequest,
  fake: { -readonly [K in keyof OpenRequest]: OpenRequest[K] },
): void {
  real.onupgradeneeded = (event) => {
    fake.result = real.result;
    fake.onupgradeneeded?.call(real, event);
  };
  real.onsuccess = (event) => {
    fake.result = real.result;
    fake.onsuccess?.call(real, event);
  };
}

/**
 * Breaks the next transactions: `lost` closes their connection before they begin, as WebKit does;
 * `abort` ends them with all that was asked of them.
 */
export function breakTransactions(how: 'lost' | 'abort', times: number): StorageFault {
  const begin = IDBDatabase.prototype.transaction;
  let struck = 0;
  const spy = vi.spyOn(IDBDatabase.prototype, 'transaction');
  spy.mockImplementation(function (this: IDBDatabase, ...args) {
    if (struck >= times) return begin.apply(this, args);
    struck += 1;
    if (how === 'lost') this.close();
    const transaction = begin.apply(this, args);
    // What is committed can't be aborted any more.
    transaction.commit = () => {};
    queueMicrotask(() => transaction.abort());
    return transaction;
  });
  const heal = () => spy.mockRestore();
  onTestFinished(heal);
  return { failures: () => struck, heal };
}

/** Lets every write into one table, or of one kind of audio, fail; the answer ends that. */
export function refuseRecords(kind: string, cause = 'UnknownError'): () => void {
  const put = IDBObjectStore.prototype.put;
  const spy = vi.spyOn(IDBObjectStore.prototype, 'put');
  spy.mockImplementation(function (this: IDBObjectStore, value, key) {
    const isOfKind = this.name === kind || (Array.isArray(key) && key[0] === kind);
    if (isOfKind) throw new DOMException('Refused', cause);
    return put.call(this, value, key);
  });
  onTestFinished(() => spy.mockRestore());
  return () => spy.mockRestore();
}

type StorageBuckets = {
  open(name: string, options: { quota: number }): Promise<{ readonly indexedDB: IDBFactory }>;
  delete(name: string): Promise<void>;
};

/**
 * Gives the test an `indexedDB` of its own on a disk of so many bytes, with the browser's real
 * quota errors (storage buckets: Chromium).
 */
export async function useSmallDisk(quotaBytes: number): Promise<void> {
  const { storageBuckets } = navigator as unknown as { storageBuckets: StorageBuckets };
  const name = `test-${crypto.randomUUID()}`;
  const bucket = await storageBuckets.open(name, { quota: quotaBytes });
  vi.stubGlobal('indexedDB', bucket.indexedDB);
  onTestFinished(async () => {
    vi.unstubAllGlobals();
    await storageBuckets.delete(name);
  });
}

/** Fills the rest of the disk; the answer frees it again. */
export async function fillDisk(): Promise<() => Promise<void>> {
  const name = `filler-${crypto.randomUUID()}`;
  const opening = indexedDB.open(name);
  opening.onupgradeneeded = () => opening.result.createObjectStore('records');
  await ended(opening);
  const database = opening.result;
  for (const bytes of [100_000, 10_000, 1_000]) {
    for (let isFull = false; !isFull; ) {
      const transaction = database.transaction('records', 'readwrite');
      // Noise: a disk that compresses would not fill.
      const noise = crypto.getRandomValues(new Uint8Array(Math.min(bytes, 65_536)));
      transaction.objectStore('records').put(noise, crypto.randomUUID());
      isFull = await new Promise((resolve) => {
        transaction.oncomplete = () => resolve(false);
        transaction.onabort = () => resolve(true);
      });
    }
  }
  return async () => {
    database.close();
    await ended(indexedDB.deleteDatabase(name));
  };
}

function ended(request: IDBRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve();
    request.onerror = () => reject(request.error);
  });
}
