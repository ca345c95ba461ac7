import { expect, test } from 'vitest';
import { DEFAULT_SESSION_OPTIONS } from '../../src/core/options/dictation-options.ts';
import type { RecordingStart } from '../../src/core/recordings/recording-record.ts';
import type { Stretch } from '../../workers/store/recording-store.ts';
import { createRecordingStore } from '../../workers/store/recording-store.ts';
import { deliveredAs, makeDelivery } from '../helpers/deliveries.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import {
  createTestDatabase,
  createTestStores,
  storedOf,
  testDatabase,
} from '../helpers/test-database.ts';

const { removePii, fixSpelling, fast, language } = DEFAULT_SESSION_OPTIONS;

function start(id: string, startedAtMs = 1_000): RecordingStart {
  return { id, startedAtMs, options: DEFAULT_SESSION_OPTIONS };
}

function stretch(startSample: number, endSample: number, bytes = 10): Stretch {
  const durationSamples = endSample - startSample;
  const packets = {
    type: 'audio/webm',
    codec: null,
    bytes: Uint8Array.from({ length: bytes }, (_, index) => startSample + index).buffer,
    sizes: [bytes],
    packetSamples: durationSamples,
    durationSamples,
  } as const;
  return { startSample, endSample, packets };
}

function openStore(databaseName = testDatabase()) {
  return createRecordingStore(createTestDatabase(databaseName));
}

test('sound comes back in its order, and its recording says how much there is', async () => {
  const store = openStore();
  await store.putStretch(start('a'), stretch(200_000, 300_000, 7));
  await store.putStretch(start('b', 500), stretch(0, 5));
  await store.putStretch(start('a'), stretch(0, 99_999));
  // Asked for again after a failure that was none.
  await store.putStretch(start('a'), stretch(0, 99_999));
  expect(await store.ranges('a')).toEqual([
    { startSample: 0, endSample: 99_999 },
    { startSample: 200_000, endSample: 300_000 },
  ]);
  expect(await store.stretches('a')).toEqual([stretch(0, 99_999), stretch(200_000, 300_000, 7)]);
  const list = await store.list();
  expect(list.map(({ id }) => id)).toEqual(['b', 'a']);
  expect(list[1]).toMatchObject({
    startedAtMs: 1_000,
    options: { removePii, fixSpelling, fast, language },
    durationSamples: 199_999,
    bytes: 17,
    endedAtMs: null,
  });
});

test('a change sees what is there, and is nothing where the recording is gone', async () => {
  const store = openStore();
  await store.putStretch(start('a'), stretch(0, 10));
  const changes = [1, 2, 3].map(() =>
    store.change('a', (record) => ({ ...record, asks: record.asks + 1 })),
  );
  expect((await Promise.all(changes)).map((record) => record?.asks)).toEqual([1, 2, 3]);
  expect(await store.change('b', (record) => record)).toBeUndefined();
  expect((await store.list()).map(({ asks }) => asks)).toEqual([3]);
});

test('a recording goes with all of its sound, and only if it is as was thought', async () => {
  const databaseName = testDatabase();
  const store = openStore(databaseName);
  await store.putStretch(start('a'), stretch(0, 10));
  await store.putStretch(start('a'), stretch(10, 20));
  await store.putStretch(start('b'), stretch(0, 10));
  expect(await store.remove('a', ({ isInBin }) => isInBin)).toBe(false);
  expect(await store.remove('a', () => true)).toBe(true);
  expect(await store.remove('a', () => false)).toBe(true);
  expect((await storedOf(databaseName)).rows.filter(({ retained }) => retained)).toHaveLength(1);
  expect((await storedOf(databaseName)).audio.block).toBe(1);
});

test('what waits of a recording goes into the bin with it, in the same step', async () => {
  const database = createTestDatabase(testDatabase());
  const store = createRecordingStore(database);
  const { store: queue } = createTestStores(database);
  await store.putStretch(start('a'), stretch(0, 10));
  await queue.put(makeQueueItem({ dictationId: 'a', number: 0 }));
  await queue.put(makeQueueItem({ dictationId: 'b', number: 0 }));
  await store.change('a', (record) => ({ ...record, asks: 1 }));
  expect((await queue.list()).map(({ id }) => id)).toEqual(['a:0', 'b:0']);
  await store.change('a', (record) => ({ ...record, isInBin: true }));
  expect((await queue.list()).map(({ id }) => id)).toEqual(['b:0']);
  expect(await queue.get('a:0')).toBeUndefined();
});

test('a chunk that is cut anew takes the place of its delivered text only where it is longer', async () => {
  const database = createTestDatabase(testDatabase());
  const store = createRecordingStore(database);
  const { store: queue } = createTestStores(database);
  await store.putStretch(start('a'), stretch(0, 10));
  expect(await queue.put(makeQueueItem({ dictationId: 'a' }))).toBe(true);
  await queue.markDelivered(makeDelivery([[0, deliveredAs('hej')]], { dictationId: 'a' }));
  expect(await queue.put(makeQueueItem({ dictationId: 'a' }))).toBe(false);
  expect(await queue.list()).toEqual([]);
  expect((await store.get('a'))?.texts.map(({ text }) => text)).toEqual(['hej']);
  const longer = makeQueueItem({ dictationId: 'a', samples: new Float32Array(32_000) });
  expect(await queue.put(longer)).toBe(true);
  expect((await queue.list()).map(({ id }) => id)).toEqual(['a:0']);
});
