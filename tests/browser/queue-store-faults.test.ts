import { describe, expect, onTestFinished, test } from 'vitest';
import { createIndexedDbQueueStore } from '../../workers/storage/indexed-db-queue-store.ts';
import { systemClock } from '../../workers/system-clock.ts';
import { testItem } from '../helpers/queue-item.ts';
import {
  breakTransactions,
  failOpening,
  fillDisk,
  useSmallDisk,
} from '../helpers/storage-faults.ts';
import { onRecords, testDatabase } from '../helpers/test-database.ts';

function openStore(databaseName = testDatabase()) {
  const store = createIndexedDbQueueStore({ clock: systemClock, databaseName });
  onTestFinished(() => store.dispose());
  return store;
}

describe('a queue whose storage fails', () => {
  test.each(['lost', 'abort'] as const)('survives a connection: %s', async (how) => {
    const store = openStore();
    await store.put(testItem('s:0'));
    const breaking = breakTransactions(how, 1);
    await store.put(testItem('s:1', { number: 1 }));
    expect(breaking.failures()).toBe(1);
    expect(await store.list()).toHaveLength(2);
  });

  test('opens anew after a failed open', async () => {
    const store = openStore();
    const opening = failOpening(1);
    await store.put(testItem('s:0'));
    expect(opening.failures()).toBe(1);
    expect(await store.list()).toHaveLength(1);
  });

  test('says what failed, writes nothing by halves, and works again afterwards', async () => {
    const store = openStore();
    await store.put(testItem('s:0'));
    breakTransactions('abort', 2);
    await expect(store.replace('s:0', [testItem('s:0.0')])).rejects.toMatchObject({
      code: 'storage-failed',
      cause: { name: 'AbortError' },
    });
    expect((await store.list()).map(({ id }) => id)).toEqual(['s:0']);

    store.dispose();
    failOpening(2);
    await expect(store.list()).rejects.toMatchObject({
      code: 'storage-failed',
      cause: { name: 'UnknownError' },
    });
    expect(await store.get('s:0')).toEqual(testItem('s:0'));
  });

  test('full disk: a typed error, nothing lost that was there, and room is enough', async () => {
    await useSmallDisk(2_000_000);
    const store = openStore();
    await store.put(testItem('s:0'));
    const makeRoom = await fillDisk();
    const large = testItem('s:1', { number: 1 }, 400_000);
    await expect(store.put(large)).rejects.toMatchObject({
      code: 'storage-failed',
      cause: { name: 'QuotaExceededError' },
    });
    expect(await store.get('s:0')).toEqual(testItem('s:0'));
    await makeRoom();
    await store.put(large);
    expect(await store.list()).toHaveLength(2);
  });
});

describe('a queue of another version', () => {
  test('version 1 is upgraded with every item and its audio, once', async () => {
    const databaseName = testDatabase();
    const items = [testItem('s:0'), testItem('s:1', { number: 1 }, 50, 3)];
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
      request.onsuccess = () => expect(request.result).toBe(2);
    });
  });

  test('an upgrade that is cut short has not happened, and happens later', async () => {
    const databaseName = testDatabase();
    await onRecords(databaseName, (records) => {
      records.put(1, ['schema']);
      const { audio, part: _part, ...head } = testItem('s:0');
      records.put(head, ['head', 's:0']);
      records.put(audio, ['audio', 's:0']);
    });
    const store = openStore(databaseName);
    breakTransactions('abort', 2);
    await expect(store.list()).rejects.toMatchObject({ code: 'storage-failed' });
    expect(await store.get('s:0')).toEqual(testItem('s:0'));
  });

  test('a newer one is left alone, and said so', async () => {
    const databaseName = testDatabase();
    await onRecords(databaseName, (records) => {
      records.put(3, ['schema']);
      records.put('whatever', ['head', 's:0']);
    });
    const store = openStore(databaseName);
    for (const attempt of [() => store.list(), () => store.put(testItem('s:1'))]) {
      await expect(attempt()).rejects.toMatchObject({
        code: 'storage-failed',
        message: expect.stringContaining('version 3'),
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
