import { expect, onTestFinished, test } from 'vitest';
import { createIndexedDbQueueStore } from '../../workers/storage/indexed-db-queue-store.ts';
import { systemClock } from '../../workers/system-clock.ts';
import { testItem } from '../helpers/queue-item.ts';
import { countRecords, onRecords, testDatabase } from '../helpers/test-database.ts';

function openStore(databaseName = testDatabase()) {
  const store = createIndexedDbQueueStore({ clock: systemClock, databaseName });
  onTestFinished(() => store.dispose());
  return { store, databaseName };
}

async function timeMs(run: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await run();
  return performance.now() - startMs;
}

function ids(heads: readonly { readonly id: string }[]): string[] {
  return heads.map(({ id }) => id);
}

test('an item comes back whole, also in another connection', async () => {
  const { store, databaseName } = openStore();
  const item = testItem('s:0', { rounds: 2 }, 1_000, 7);
  await store.put(item);
  const other = openStore(databaseName).store;
  const back = await other.get('s:0');
  expect(back).toEqual(item);
  expect(new Uint8Array(back?.audio.bytes ?? new ArrayBuffer())).toEqual(
    new Uint8Array(1_000).fill(7),
  );
  await other.update('s:0', { state: { kind: 'transcribed', text: 'hej' } });
  expect((await store.get('s:0'))?.state).toEqual({ kind: 'transcribed', text: 'hej' });
  expect(await store.get('s:1')).toBeUndefined();
});

test('the list is in the order of speech and holds no audio', async () => {
  const { store } = openStore();
  const later = { sessionId: 'b', createdAtMs: 1_700_000_000_500 };
  await store.put(testItem('b:0', later));
  await store.put(testItem('s:10', { number: 10, createdAtMs: 1_700_000_000_900 }));
  await store.put(testItem('s:2.1', { number: 2, part: '1' }));
  await store.put(testItem('s:2.0', { number: 2, part: '0' }));
  expect(ids(await store.list())).toEqual(['s:2.0', 's:2.1', 'b:0', 's:10']);
  expect((await store.list())[0]).not.toHaveProperty('audio');
});

test('200 items of 400 kB are listed without touching their audio', async () => {
  const { store, databaseName } = openStore();
  for (let number = 0; number < 200; number += 1) {
    await store.put(testItem(`s:${number}`, { number }, 400_000, number));
  }
  const listMs = await timeMs(async () => {
    const heads = await store.list();
    expect(heads).toHaveLength(200);
    expect(heads.every((head) => !('audio' in head))).toBe(true);
  });
  const loadMs = await timeMs(() => onRecords(databaseName, (records) => void records.getAll()));
  console.info(`200 items: list ${listMs.toFixed(1)} ms, loading all ${loadMs.toFixed(1)} ms`);
  expect(listMs).toBeLessThan(loadMs / 3);
});

test('an item is replaced by its parts in one step, and only if it is still there', async () => {
  const { store, databaseName } = openStore();
  await store.put(testItem('s:0'));
  const parts = [testItem('s:0.0', { part: '0' }), testItem('s:0.1', { part: '1' }, 5, 9)];
  const unstorable = testItem('s:0.1', { part: (() => '1') as never });
  await expect(store.replace('s:0', [testItem('s:0.0'), unstorable])).rejects.toMatchObject({
    code: 'storage-failed',
    cause: { name: 'DataCloneError' },
  });
  expect(ids(await store.list())).toEqual(['s:0']);

  await store.replace('s:0', parts);
  expect(await store.list()).toHaveLength(2);
  expect(await store.get('s:0.1')).toEqual(parts[1]);
  expect(await store.get('s:0')).toBeUndefined();

  await store.remove('s:0.0');
  await store.replace('s:0', parts);
  expect(ids(await store.list())).toEqual(['s:0.1']);
  expect(await countRecords(databaseName, 'audio')).toBe(1);
});

test('what is gone stays gone', async () => {
  const { store, databaseName } = openStore();
  await store.put(testItem('s:0'));
  await store.remove('s:0');
  await store.remove('s:0');
  await store.update('s:0', { rounds: 3 });
  expect(await store.list()).toEqual([]);
  for (const kind of ['head', 'audio']) expect(await countRecords(databaseName, kind)).toBe(0);
});

test('two stores at once lose none of their changes', async () => {
  const { store: one, databaseName } = openStore();
  const two = openStore(databaseName).store;
  await Promise.all([one.put(testItem('s:0')), two.put(testItem('s:1', { number: 1 }))]);
  await Promise.all([
    one.update('s:0', { rounds: 4 }),
    two.update('s:0', { state: { kind: 'sending' } }),
  ]);
  expect(await one.get('s:0')).toMatchObject({ rounds: 4, state: { kind: 'sending' } });
  expect(ids(await two.list())).toEqual(['s:0', 's:1']);
});
