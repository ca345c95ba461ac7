import { describe, expect, onTestFinished, test } from 'vitest';
import { browserClock } from '../../src/core/browser-clock.ts';
import { createIndexedDbQueueStore } from '../../workers/storage/indexed-db-queue-store.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import {
  breakTransactions,
  failOpening,
  fillDisk,
  useSmallDisk,
} from '../helpers/storage-faults.ts';
import { onRecords, testDatabase } from '../helpers/test-database.ts';

function openStore(databaseName = testDatabase()) {
  const store = createIndexedDbQueueStore({ clock: browserClock, databaseName });
  onTestFinished(() => store.dispose());
  return store;
}

describe('a queue whose storage fails', () => {
  test.each(['lost', 'abort'] as const)('survives a connection: %s', async (how) => {
    const store = openStore();
    await store.put(makeQueueItem());
    const breaking = breakTransactions(how, 1);
    await store.put(makeQueueItem({ number: 1 }));
    expect(breaking.failures()).toBe(1);
    expect(await store.list()).toHaveLength(2);
  });

  test('opens anew after a failed open', async () => {
    const store = openStore();
    const opening = failOpening(1);
    await store.put(makeQueueItem());
    expect(opening.failures()).toBe(1);
    expect(await store.list()).toHaveLength(1);
  });

  test('says what failed, writes nothing by halves, and works again afterwards', async () => {
    const store = openStore();
    await store.put(makeQueueItem());
    breakTransactions('abort', 2);
    await expect(store.replace('session:0', [makeQueueItem({ id: 'part' })])).rejects.toMatchObject(
      {
        code: 'storage-failed',
        cause: { name: 'AbortError' },
      },
    );
    expect((await store.list()).map(({ id }) => id)).toEqual(['session:0']);

    store.dispose();
    failOpening(2);
    await expect(store.list()).rejects.toMatchObject({
      code: 'storage-failed',
      cause: { name: 'UnknownError' },
    });
    expect(await store.get('session:0')).toEqual(makeQueueItem());
  });

  test('full disk: a typed error, nothing lost that was there, and room is enough', async () => {
    await useSmallDisk(2_000_000);
    const store = openStore();
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
  });
});

describe('a queue of another version', () => {
  test('version 1 is upgraded with every item and its audio, once', async () => {
    const databaseName = testDatabase();
    const items = [makeQueueItem(), makeQueueItem({ number: 1 })];
    await onRecords(databaseName, (records) => {
      records.put(1, ['schema']);
      for (const { audio, part: _part, ...head } of items) {
        records.put(head, ['head', head.id]);
        records.put(audio, ['audio', head.id]);
      }
    });
    const store = openStore(databaseName);
    expect((await store.list()).map(({ part }) => part)).toEqual(['', '']);
    for (const item of items) expect(await openStore(databaseName).get(item.id)).toEqual(item);
    await onRecords(databaseName, (records) => {
      const request = records.get(['schema']);
      request.onsuccess = () => expect(request.result).toBe(3);
    });
  });

  test('version 2 is upgraded: all of a chunk counts as speech, and no text is doubted', async () => {
    const databaseName = testDatabase();
    const text = { kind: 'transcribed', text: 'hej', doubt: null } as const;
    const items = [
      makeQueueItem({ durationSamples: 48_000 }),
      makeQueueItem({ number: 1, state: text }),
    ];
    await onRecords(databaseName, (records) => {
      records.put(2, ['schema']);
      for (const { audio, speechSamples: _speech, asks: _asks, ...head } of items) {
        const { kind, text } = { text: '', ...head.state };
        const state = kind === 'transcribed' ? { kind, text } : head.state;
        records.put({ ...head, state }, ['head', head.id]);
        records.put(audio, ['audio', head.id]);
      }
    });
    const [first, second] = await openStore(databaseName).list();
    expect(first).toMatchObject({ speechSamples: 48_000, asks: 0 });
    expect(second?.state).toEqual(text);
  });

  test('an upgrade that is cut short has not happened, and happens later', async () => {
    const databaseName = testDatabase();
    await onRecords(databaseName, (records) => {
      records.put(1, ['schema']);
      const { audio, part: _part, ...head } = makeQueueItem();
      records.put(head, ['head', 'session:0']);
      records.put(audio, ['audio', 'session:0']);
    });
    const store = openStore(databaseName);
    breakTransactions('abort', 2);
    await expect(store.list()).rejects.toMatchObject({ code: 'storage-failed' });
    expect(await store.get('session:0')).toEqual(makeQueueItem());
  });

  test('a newer one is left alone, and said so', async () => {
    const databaseName = testDatabase();
    await onRecords(databaseName, (records) => {
      records.put(4, ['schema']);
      records.put('whatever', ['head', 'session:0']);
    });
    const store = openStore(databaseName);
    for (const attempt of [() => store.list(), () => store.put(makeQueueItem({ number: 1 }))]) {
      await expect(attempt()).rejects.toMatchObject({
        code: 'storage-failed',
        message: expect.stringContaining('version 4'),
      });
    }
    let count = 0;
    await onRecords(databaseName, (records) => {
      const request = records.count();
      request.onsuccess = () => {
        count = request.result;
      };
    });
    expect(count).toBe(2);
  });
});
