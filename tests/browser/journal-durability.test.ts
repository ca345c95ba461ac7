import { expect, onTestFinished, test, vi } from 'vitest';
import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import { createJournal } from '../../workers/store/journal.ts';
import { deliveredAs, makeDelivery } from '../helpers/deliveries.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { noiseFrame, testHeader } from '../helpers/journal-session.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import { createTestDatabase, createTestStores } from '../helpers/test-database.ts';

/** Records the durability asked for in each write, in order. */
function watchWrites(): (string | undefined)[] {
  const asked: (string | undefined)[] = [];
  const begin = IDBDatabase.prototype.transaction;
  const spy = vi.spyOn(IDBDatabase.prototype, 'transaction');
  spy.mockImplementation(function (this: IDBDatabase, names, mode, options) {
    if (mode === 'readwrite') asked.push(options?.durability);
    return begin.call(this, names, mode, options);
  });
  onTestFinished(() => spy.mockRestore());
  return asked;
}

function openJournal() {
  const clock = createFakeClock();
  const onFailure = vi.fn();
  const database = createTestDatabase(undefined, clock);
  const journal = createJournal({ database, clock, onFailure });
  onTestFinished(() => journal.dispose());
  return { journal, clock };
}

test('a power cut costs a second of audio: header, marks and cuts, and a write each second, reach the disk itself', async () => {
  const writes = watchWrites();
  const { journal, clock } = openJournal();
  await journal.begin(testHeader('s'));
  expect(writes).toEqual(['strict']);

  const seen: string[] = [];
  for (let number = 0; number < 24; number += 1) {
    journal.append('s', number * FRAME_SAMPLES, noiseFrame(number));
    await journal.flush('s');
    await clock.advance(96);
    seen.push(writes.at(-1) ?? '');
  }
  const strict = seen.flatMap((how, index) => (how === 'strict' ? [index] : []));
  // 11 frames are 1,056 ms.
  expect(strict).toEqual([11, 22]);
  expect(seen.filter((how) => how === 'relaxed')).toHaveLength(22);

  journal.mark('s', { kind: 'paused', atSample: 24 * FRAME_SAMPLES });
  await journal.flush('s');
  expect(writes.at(-1)).toBe('strict');
  const cut = { nextChunkNumber: 1, cutUpToSample: FRAME_SAMPLES, isInSpeech: false };
  await journal.cutWith({ ...cut, dictationId: 's' }, () => {});
  expect(writes.at(-1)).toBe('strict');
});

test('a chunk and its cut, and what is left when it is delivered, are on the disk itself', async () => {
  const { journal, store } = createTestStores(createTestDatabase());
  const writes = watchWrites();
  const cut = { nextChunkNumber: 1, cutUpToSample: FRAME_SAMPLES, isInSpeech: false };
  await store.put(makeQueueItem(), { ...cut, dictationId: 'session' });
  await store.put(makeQueueItem({ number: 1 }));
  await store.markDelivered(makeDelivery([[0, deliveredAs('words')]], { isOver: true }));
  expect(writes).toEqual(['strict', 'strict', 'strict']);
  expect(await journal.list()).toEqual([]);
});

test('a clock that is set back does not put the next durable write off', async () => {
  const writes = watchWrites();
  const { journal, clock } = openJournal();
  await journal.begin(testHeader('s'));
  clock.jump(-3_600_000);
  journal.append('s', 0, noiseFrame(0));
  await journal.flush('s');
  expect(writes).toEqual(['strict', 'strict']);
});
