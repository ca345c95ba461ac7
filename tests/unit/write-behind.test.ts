import { expect, test } from 'vitest';
import { createDeferred } from '../../src/core/async.ts';
import type { Database } from '../../workers/store/database.ts';
import { createWriteBehind } from '../../workers/store/write-behind.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';

test('a flush waits for what was given before it, not for another write that had its turn first', async () => {
  const written: unknown[] = [];
  const journal = {
    put: (value: unknown) => written.push(value),
    transaction: { commit: () => {} },
  } as unknown as IDBObjectStore;
  const database = {
    write: async (_stores: unknown, _durability: unknown, work: (store: IDBObjectStore) => void) =>
      work(journal),
  } as unknown as Database;
  const writer = createWriteBehind({
    database,
    clock: createFakeClock(),
    maxPendingBytes: 1_000,
    onFailure: () => {},
    onRecovered: () => {},
    spareOthers: async () => false,
  });
  const [cut, nextCut] = [createDeferred(), createDeferred()];
  const cuts = [writer.inTurn(() => cut.promise), writer.inTurn(() => nextCut.promise)];
  writer.put({ key: 'frame', value: 'what was said', audioBytes: 2 });
  const flushed = writer.flush();
  cut.resolve();
  await cuts[0];
  nextCut.resolve();
  await flushed;
  expect(written).toEqual(['what was said']);
});
