import { expect, onTestFinished, test, vi } from 'vitest';
import { DATABASE_VERSION } from '../../src/core/contracts/database.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import { describeQueueStore } from '../helpers/queue-store-contract.ts';
import {
  createTestDatabase,
  createTestStores,
  onRecords,
  storedOf,
  testDatabase,
} from '../helpers/test-database.ts';

function openStore(databaseName = testDatabase()) {
  return createTestStores(createTestDatabase(databaseName)).store;
}

async function timeMs(run: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await run();
  return performance.now() - startMs;
}

describeQueueStore('IndexedDB', () => openStore());

test('an item is there for the next tab, and what two tabs change at once is all kept', async () => {
  const databaseName = testDatabase();
  const [one, two] = [openStore(databaseName), openStore(databaseName)];
  const items = [makeQueueItem({ number: 0 }), makeQueueItem({ number: 1 })] as const;
  await Promise.all([one.put(items[0]), two.put(items[1])]);
  await Promise.all([
    one.update('session:0', { rounds: 4 }),
    two.update('session:0', { state: { kind: 'pending', isSending: true } }),
  ]);
  expect(await one.get('session:1')).toEqual(items[1]);
  expect(await two.get('session:0')).toEqual({
    ...items[0],
    rounds: 4,
    state: { kind: 'pending', isSending: true },
  });
});

test('a database of an older form is made anew', async () => {
  const databaseName = testDatabase();
  await new Promise((resolve, reject) => {
    const opening = indexedDB.open(databaseName, DATABASE_VERSION - 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore('journal');
    opening.onsuccess = () => resolve(opening.result.close());
    opening.onerror = () => reject(opening.error);
  });
  const database = createTestDatabase(databaseName);
  const names = await database.read(['chunks'], ({ transaction }) => [
    ...transaction.db.objectStoreNames,
  ]);
  expect(names).toEqual(['audio', 'chunks', 'dictations']);
});

test('a chunk is on the disk itself before the journal may give it up', async () => {
  const store = openStore();
  await store.list();
  const begun = vi.spyOn(IDBDatabase.prototype, 'transaction');
  onTestFinished(() => begun.mockRestore());
  await store.put(makeQueueItem());
  const transactions = begun.mock.results.map(({ value }) => value as IDBTransaction);
  expect(transactions.map(({ durability }) => durability)).toEqual(['strict']);
});

test('200 items of 400 kB are listed without touching their audio', async () => {
  const databaseName = testDatabase();
  const store = openStore(databaseName);
  const samples = new Float32Array(200_000).fill(0.1);
  for (let number = 0; number < 200; number += 1) {
    await store.put(makeQueueItem({ number, samples }));
  }
  const listMs = await timeMs(async () => expect(await store.list()).toHaveLength(200));
  const loadMs = await timeMs(() =>
    onRecords(databaseName, 'audio', (records) => void records.getAll()),
  );
  console.info(`200 items: list ${listMs.toFixed(1)} ms, loading all ${loadMs.toFixed(1)} ms`);
  expect(listMs).toBeLessThan(loadMs / 3);
});

test('the audio goes with its item', async () => {
  const databaseName = testDatabase();
  const store = openStore(databaseName);
  for (const number of [0, 1]) await store.put(makeQueueItem({ number }));
  await store.remove('session:0');
  expect((await storedOf(databaseName)).audio.chunk).toBe(1);
});
