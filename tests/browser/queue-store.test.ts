import { expect, onTestFinished, test, vi } from 'vitest';
import { DATABASE_VERSION } from '../../src/core/contracts/database.ts';
import { deliveredAs, makeDelivery } from '../helpers/deliveries.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
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

const idsOf = async (store: ReturnType<typeof openStore>) =>
  (await store.list()).map(({ id }) => id);

async function timeMs(run: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await run();
  return performance.now() - startMs;
}

test('gives back what was put, byte for byte', async () => {
  const store = openStore();
  const samples = Float32Array.from({ length: 500 }, (_, index) => Math.sin(index));
  const item = makeQueueItem({ samples });
  await store.put(item);
  const found = await store.get(item.id);
  expect(found).toEqual(item);
  expect(new Uint8Array(found!.audio.bytes)).toEqual(new Uint8Array(item.audio.bytes));
});

test('lists the oldest first: by creation, then number', async () => {
  const store = openStore();
  const items = [
    makeQueueItem({ dictationId: 'late', number: 0, createdAtMs: 900 }),
    makeQueueItem({ dictationId: 'early', number: 10, createdAtMs: 300 }),
    makeQueueItem({ dictationId: 'early', number: 2, createdAtMs: 200 }),
  ];
  for (const item of items) await store.put(item);
  expect(await idsOf(store)).toEqual(['early:2', 'early:10', 'late:0']);
});

test('replaces an item that is put again', async () => {
  const store = openStore();
  await store.put(makeQueueItem());
  await store.put(makeQueueItem({ rounds: 7, samples: new Float32Array(10) }));
  expect(await idsOf(store)).toEqual(['session:0']);
  const found = await store.get('session:0');
  expect(found).toMatchObject({ rounds: 7, durationSamples: 10 });
  expect(found?.audio.bytes.byteLength).toBe(44 + 20);
});

test('updates what stands beside the audio, and only that', async () => {
  const store = openStore();
  const item = makeQueueItem();
  await store.put(item);
  const state = { kind: 'answered', text: 'hej', needsReview: null } as const;
  await store.update(item.id, { rounds: 2, state });
  expect(await store.get(item.id)).toEqual({ ...item, rounds: 2, state });
  await store.update(item.id, { rounds: 3 });
  expect(await store.get(item.id)).toEqual({ ...item, rounds: 3, state });
});

test('does not bring back what is gone', async () => {
  const store = openStore();
  await store.put(makeQueueItem());
  await store.remove('session:0');
  await store.update('session:0', { rounds: 1 });
  expect(await store.list()).toEqual([]);
  expect(await store.get('session:0')).toBeUndefined();
  await store.remove('session:0');
});

test('settles what was delivered: some go, some stay as doubted', async () => {
  const store = openStore();
  for (const number of [0, 1, 2]) await store.put(makeQueueItem({ number }));
  const state = {
    kind: 'delivered',
    hasAudio: true,
    needsReview: 'altered',
    text: 'hej',
  } as const;
  const delivery = makeDelivery([
    [0, deliveredAs('words')],
    [1, state],
    [7, state],
  ]);
  expect(await store.markDelivered(delivery)).toBeNull();
  expect(await idsOf(store)).toEqual(['session:1', 'session:2']);
  expect(await store.get('session:1')).toEqual({ ...makeQueueItem({ number: 1 }), state });
});

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
