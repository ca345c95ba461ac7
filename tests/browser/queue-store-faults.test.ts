import { describe, expect, test, vi } from 'vitest';
import { createChunkStore } from '../../workers/store/chunk-store.ts';
import { createRecordingStore } from '../../workers/store/recording-store.ts';
import { deliveredAs, makeDelivery } from '../helpers/deliveries.ts';
import { inChromium } from '../helpers/engine.ts';
import { noiseFrame, testHeader } from '../helpers/journal-session.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import {
  breakTransactions,
  failOpening,
  fillDisk,
  refuseRecords,
  useSmallDisk,
} from '../helpers/storage-faults.ts';
import {
  createTestDatabase,
  createTestStores,
  storedOf,
  testDatabase,
} from '../helpers/test-database.ts';

function openStore() {
  const databaseName = testDatabase();
  const database = createTestDatabase(databaseName);
  return { databaseName, database, ...createTestStores(database) };
}

describe('a queue whose storage fails', () => {
  test.each(['lost', 'abort'] as const)('survives a connection: %s', async (how) => {
    const { store } = openStore();
    await store.put(makeQueueItem());
    const breaking = breakTransactions(how, 1);
    await store.put(makeQueueItem({ number: 1 }));
    expect(breaking.failures()).toBe(1);
    expect(await store.list()).toHaveLength(2);
  });

  test('opens anew after a failed open', async () => {
    const { store } = openStore();
    const opening = failOpening(1);
    await store.put(makeQueueItem());
    expect(opening.failures()).toBe(1);
    expect(await store.list()).toHaveLength(1);
  });

  test('says what failed, writes nothing by halves, and works again afterwards', async () => {
    const { database, store } = openStore();
    await store.put(makeQueueItem());
    breakTransactions('abort', 2);
    await expect(store.put(makeQueueItem({ number: 1 }))).rejects.toMatchObject({
      code: 'storage-failed',
      cause: { name: 'AbortError' },
    });
    expect((await store.list()).map(({ id }) => id)).toEqual(['session:0']);

    database.close();
    failOpening(2);
    await expect(store.list()).rejects.toMatchObject({
      code: 'storage-failed',
      cause: { name: 'UnknownError' },
    });
    expect(await store.get('session:0')).toEqual(makeQueueItem());
  });

  test('what was delivered goes together with its journal, and its text into its recording, or nothing does', async () => {
    const { database, databaseName, store, journal } = openStore();
    await journal.begin(testHeader('session'));
    journal.append('session', 0, noiseFrame(0));
    await journal.flush('session');
    for (const number of [0, 1]) await store.put(makeQueueItem({ number }));
    const state = {
      kind: 'delivered',
      hasAudio: true,
      needsReview: 'altered',
      text: 'hej',
    } as const;
    const start = { id: 'session', startedAtMs: 1, options: makeQueueItem().options };
    const delivery = makeDelivery(
      [
        [0, deliveredAs('words')],
        [1, state],
      ],
      { start, isOver: true },
    );
    const breaking = breakTransactions('abort', 2);
    await expect(store.markDelivered(delivery)).rejects.toMatchObject({
      code: 'storage-failed',
    });
    breaking.heal();
    expect((await storedOf(databaseName)).audio.pcm).toBe(1);
    expect((await storedOf(databaseName)).rows.filter(({ retained }) => retained)).toHaveLength(0);
    expect(await store.list()).toHaveLength(2);
    expect((await store.get('session:1'))?.state.kind).toBe('pending');

    const writes = vi.spyOn(database, 'write');
    expect(await store.markDelivered(delivery)).toBeNull();
    expect(writes).toHaveBeenCalledTimes(1);
    expect((await storedOf(databaseName)).audio.pcm).toBe(0);
    expect(await store.list()).toMatchObject([{ id: 'session:1', state }]);
    expect(await createRecordingStore(database).get('session')).toMatchObject({
      startedAtMs: 1,
      deliveredAtMs: 2,
      texts: [
        { number: 0, text: 'words', needsReview: null },
        { number: 1, text: 'hej', needsReview: 'altered' },
      ],
    });
    journal.append('session', 1_536, noiseFrame(1));
    await journal.flush('session');
    expect(await journal.list(), 'it is over').toEqual([]);
  });

  test('a full disk: what can be spared elsewhere goes, and it is written then', async () => {
    const database = createTestDatabase();
    const { journal } = createTestStores(database);
    const spareOthers = vi.fn(async () => true);
    const store = createChunkStore(database, journal, spareOthers);
    await store.put(makeQueueItem());
    spareOthers.mockImplementation(async () => {
      heal();
      return true;
    });
    const heal = refuseRecords('chunks', 'QuotaExceededError');
    const state = { kind: 'answered', text: 'hej', needsReview: null } as const;
    await store.update('session:0', { state });
    expect((await store.get('session:0'))?.state).toEqual(state);
    expect(spareOthers).toHaveBeenCalledTimes(1);

    spareOthers.mockResolvedValue(false);
    refuseRecords('chunks', 'QuotaExceededError');
    await expect(store.update('session:0', { rounds: 1 })).rejects.toMatchObject({
      code: 'storage-failed',
      cause: { name: 'QuotaExceededError' },
    });
  });

  test('what was delivered goes also where a full disk has no room for its text', async () => {
    const { databaseName, store } = openStore();
    await store.put(makeQueueItem());
    const start = { id: 'session', startedAtMs: 1, options: makeQueueItem().options };
    const heal = refuseRecords('dictations', 'QuotaExceededError');
    const delivery = makeDelivery([[0, deliveredAs('words')]], { start });
    expect(await store.markDelivered(delivery)).toEqual(delivery);
    expect(await store.list()).toEqual([]);
    heal();
    expect(await store.markDelivered(delivery)).toBeNull();
    expect((await storedOf(databaseName)).rows.filter(({ retained }) => retained)).toHaveLength(1);
  });

  test('a delivered text goes with its recording, what may not be all of it stays for its audio', async () => {
    const { database, databaseName, store } = openStore();
    const recordings = createRecordingStore(database);
    for (const number of [0, 1, 2]) await store.put(makeQueueItem({ number }));
    const altered = {
      kind: 'delivered',
      hasAudio: true,
      needsReview: 'altered',
      text: 'hej',
    } as const;
    const start = { id: 'session', startedAtMs: 1, options: makeQueueItem().options };
    const states = [
      [0, deliveredAs('words')],
      [1, altered],
      [2, altered],
    ] as const;
    await store.markDelivered(makeDelivery(states, { start }));
    expect((await storedOf(databaseName)).audio.chunk).toBe(2);
    // Looked at, and not wanted any more: its text is in the field all the same.
    await store.remove('session:1');
    expect((await store.list()).map(({ id }) => id)).toEqual(['session:2']);
    expect(
      (await recordings.list())[0]?.texts.map(({ text, needsReview }) => [text, needsReview]),
    ).toEqual([
      ['words', null],
      ['hej', 'altered'],
      ['hej', 'altered'],
    ]);
    // Cut anew by a recovery that knew nothing of it: it is not offered again.
    await store.put(makeQueueItem());
    expect(await store.list()).toHaveLength(1);
    expect(await recordings.remove('session', () => true)).toBe(true);
    const { rows, chunks } = await storedOf(databaseName);
    expect(rows).toEqual([]);
    expect(chunks.map(({ id }) => id)).toEqual(['session:2']);
  });

  test('a text that is asked for anew stands until another comes, and nothing is no news', async () => {
    const { database, store } = openStore();
    const recordings = createRecordingStore(database);
    await store.put(makeQueueItem());
    const state = {
      kind: 'delivered',
      hasAudio: true,
      needsReview: 'incomplete',
      text: 'half',
    } as const;
    const start = { id: 'session', startedAtMs: 1, options: makeQueueItem().options };
    await store.markDelivered(makeDelivery([[0, state]], { start }));
    const former = { text: 'half', needsReview: 'incomplete' } as const;
    const waiting = makeQueueItem().state;
    await store.update('session:0', { asks: 1, state: waiting, former });
    const texts = async () => (await recordings.list())[0]?.texts.map(({ text }) => text);
    expect(await texts()).toEqual(['half']);
    // Told late by another tab, the former text does not take away what was asked for.
    await store.markDelivered(makeDelivery([[0, state]]));
    expect((await store.list())[0]?.state).toEqual(waiting);
    const [head] = await store.list();
    const empty = {
      ...makeDelivery([]),
      chunks: head ? [{ ...head, state: deliveredAs('') }] : [],
    };
    await store.markDelivered(empty);
    expect(await store.list()).toEqual([]);
    expect(await texts()).toEqual(['half']);
  });

  test('a chunk and its cut are stored together, or neither is', async () => {
    const { databaseName, store, journal } = openStore();
    for (const number of [0, 1, 2, 3]) {
      journal.append('session', number * 1_536, noiseFrame(number));
    }
    await journal.flush('session');
    const cut = { nextChunkNumber: 1, cutUpToSample: 2 * 1_536, isInSpeech: true };
    const own = { ...cut, dictationId: 'session' };
    const heal = refuseRecords('dictations');
    await expect(store.put(makeQueueItem(), own)).rejects.toMatchObject({
      code: 'storage-failed',
    });
    expect(await store.list()).toEqual([]);
    expect((await storedOf(databaseName)).audio.pcm).toBe(2);
    heal();
    await store.put(makeQueueItem(), own);
    expect(await store.get('session:0')).toEqual(makeQueueItem());
    expect((await journal.read('session', 'cut'))?.cut).toEqual(cut);
    expect((await storedOf(databaseName)).audio.pcm).toBe(1);
  });

  inChromium(
    'full disk: a typed error, nothing lost that was there, and room is enough (Firefox, WebKitGTK: no storage buckets to fill)',
    async () => {
      await useSmallDisk(2_000_000);
      const { store } = openStore();
      await store.put(makeQueueItem());
      const makeRoom = await fillDisk();
      const large = makeQueueItem({ number: 1, samples: new Float32Array(200_000) });
      await expect(store.put(large)).rejects.toMatchObject({
        code: 'storage-failed',
        cause: { name: 'QuotaExceededError' },
      });
      expect(await store.get('session:0')).toEqual(makeQueueItem());
      await makeRoom();
      await store.put(large);
      expect(await store.list()).toHaveLength(2);
    },
  );
});
