import { expect, test, vi } from 'vitest';
import { createSnapshotStore } from '../../src/client/snapshot-store.ts';
import { createTextDelivery } from '../../src/client/text-delivery.ts';
import type { DeliveryVerdict } from '../../src/core/contracts/dictation.ts';
import { INITIAL_SNAPSHOT } from '../../src/core/session/snapshot.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { createFakeConnection } from '../helpers/fake-connection.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';

/** A text of two chunks on its way into a page that answers when the test has it answer. */
function setUp() {
  const store = createSnapshotStore();
  const clock = createFakeClock();
  const add = vi.fn();
  const texts = createTextDelivery({
    store,
    connection: createFakeConnection().connection,
    undelivered: { add, dispose() {} },
    clock,
    log: createRecordingLog(),
  });
  const queue = (numbers: readonly number[], isRecovered = true) => {
    const state = { kind: 'transcribed', text: 'hej', doubt: null } as const;
    const items = numbers.map((number) => makeQueueItem({ number, state }));
    const changed = { ...INITIAL_SNAPSHOT.queue, items, isLoaded: true, isRecovered };
    store.dispatch({ kind: 'queue-changed', queue: changed });
  };
  const withdrawn = vi.fn();
  let answer: (verdict: DeliveryVerdict) => void = () => {};
  const insert = () =>
    texts.insert({
      sessionId: 'session',
      chunks: new Map([
        [0, null],
        [1, null],
      ]),
      insert: (signal) => {
        signal.addEventListener('abort', withdrawn);
        return new Promise((resolve) => {
          answer = resolve;
        });
      },
    });
  return {
    queue,
    insert,
    withdrawn,
    answer: (verdict: DeliveryVerdict) => answer(verdict),
    add,
    clock,
  };
}

test('a text that the user throws away, here or in another tab, does not go in any more', async () => {
  const { queue, insert, withdrawn, clock, add } = setUp();
  queue([0, 1]);
  const inserting = insert();
  queue([1]);
  expect(withdrawn, 'some of it is still wanted').not.toHaveBeenCalled();
  queue([]);
  expect(withdrawn).toHaveBeenCalledTimes(1);
  await clock.advance(1_000);
  expect(await inserting).toBe(false);
  expect(add, 'nothing waits that a person should be told of').not.toHaveBeenCalled();
});

test('one that is in at that very moment is in', async () => {
  const { queue, insert, answer } = setUp();
  queue([0, 1]);
  const inserting = insert();
  queue([]);
  answer(true);
  expect(await inserting).toBe(true);
});

test('a queue that is not known whole, or not yet, says nothing of it', async () => {
  const { queue, insert, withdrawn, answer } = setUp();
  queue([]);
  const inserting = insert();
  queue([], false);
  queue([]);
  queue([0, 1]);
  queue([], false);
  expect(withdrawn).not.toHaveBeenCalled();
  answer(true);
  expect(await inserting).toBe(true);
});

test('a text that is refused waits, and a person is told', async () => {
  const { queue, insert, answer, add } = setUp();
  queue([0, 1]);
  const inserting = insert();
  answer(false);
  expect(await inserting).toBe(false);
  expect(add).toHaveBeenCalledWith('session');
});
