import { expect, test, vi } from 'vitest';
import { createLateTexts } from '../../src/client/late-texts.ts';
import { createSnapshotStore } from '../../src/client/snapshot-store.ts';
import type { DeliveryVerdict } from '../../src/core/contracts/dictation.ts';
import type { SessionResult } from '../../src/core/contracts/worker-api.ts';
import type { QueueItemState } from '../../src/core/queue/queue-item.ts';
import { INITIAL_SNAPSHOT } from '../../src/core/session/snapshot.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import { until } from '../helpers/until.ts';

const WAITING: QueueItemState = { kind: 'waiting', nextAttemptAtMs: 0, lastError: null };
const DONE: QueueItemState = { kind: 'transcribed', text: 'hej', doubt: null };

function setUp() {
  const store = createSnapshotStore();
  const { signal } = new AbortController();
  const clock = createFakeClock();
  const takeText = vi.fn(
    (
      _id: string,
      insert: (text: string, withdrawn: AbortSignal) => Promise<DeliveryVerdict>,
    ): Promise<DeliveryVerdict | null> => insert('hela texten', signal),
  );
  const lateTexts = createLateTexts({ store, takeText, clock });
  const deliver = vi.fn(async (_result: SessionResult, _withdrawn: AbortSignal) => true);
  const release = vi.fn(async () => {});
  const place = { held: Promise.resolve(), release };
  const queue = (states: readonly QueueItemState[], isLoaded = true, isRecovered = isLoaded) => {
    const items = states.map((state, number) => makeQueueItem({ number, state }));
    store.dispatch({
      kind: 'queue-changed',
      queue: { ...INITIAL_SNAPSHOT.queue, items, isLoaded, isRecovered },
    });
  };
  const wait = () => lateTexts.await('session', deliver, place);
  return { store, wait, takeText, deliver, queue, release, clock };
}

test('a text is delivered once, when the last of its chunks has come', async () => {
  const { wait, takeText, deliver, queue } = setUp();
  queue([DONE, WAITING]);
  wait();
  queue([DONE, { kind: 'sending' }]);
  expect(takeText).not.toHaveBeenCalled();
  queue([DONE, DONE]);
  queue([DONE, DONE]);
  await until(() => deliver.mock.calls.length > 0);
  expect(takeText).toHaveBeenCalledTimes(1);
  expect(deliver.mock.calls[0]).toEqual([
    { text: 'hela texten', failedChunks: 0, doubtfulChunks: 0 },
    expect.any(AbortSignal),
  ]);
});

test('taken from the list, or thrown away: the place kept for it is given up', () => {
  const { wait, takeText, deliver, queue } = setUp();
  queue([WAITING]);
  wait();
  queue([]);
  expect(takeText).not.toHaveBeenCalled();
  expect(deliver.mock.calls.map(([{ text }]) => text)).toEqual(['']);
});

test('a snapshot older than the end of the session does not give the place up', () => {
  const { wait, takeText, deliver, queue } = setUp();
  queue([]);
  wait();
  queue([]);
  expect(deliver).not.toHaveBeenCalled();
  queue([DONE]);
  expect(takeText).toHaveBeenCalledTimes(1);
});

test('a worker started anew knows nothing at first: the text is still awaited', () => {
  const { wait, takeText, deliver, queue } = setUp();
  queue([WAITING]);
  wait();
  queue([], false);
  expect(deliver).not.toHaveBeenCalled();
  queue([DONE]);
  expect(takeText).toHaveBeenCalledTimes(1);
});

test('a text is not whole while part of its recording could not be encoded', async () => {
  const { store, wait, takeText, deliver, queue } = setUp();
  const error = { code: 'encoding-failed', message: 'no memory' } as const;
  const kept = [{ sessionId: 'session', startedAtMs: 1, durationSamples: 1, error }];
  store.dispatch({ kind: 'kept-changed', kept });
  wait();
  queue([DONE, DONE]);
  expect(takeText).not.toHaveBeenCalled();
  store.dispatch({ kind: 'kept-changed', kept: [] });
  await until(() => deliver.mock.calls.length > 0);
  expect(takeText).toHaveBeenCalledTimes(1);
});

test('a worker started anew has what the dead one had in its memory brought out of the journal first', async () => {
  const { wait, takeText, deliver, queue, release } = setUp();
  queue([WAITING]);
  wait();
  queue([], true, false);
  expect(deliver).not.toHaveBeenCalled();
  expect(release, 'other tabs still leave it alone').not.toHaveBeenCalled();
  queue([DONE], true, true);
  await until(() => release.mock.calls.length > 0);
  expect(takeText).toHaveBeenCalledTimes(1);
});

test.each([
  ['another tab has it just then', async () => null],
  ['the worker dies just then', () => Promise.reject(new Error('gone'))],
])(
  'a text that is not given, since %s, is asked for again, and keeps its place',
  async (_why, answer) => {
    const { wait, takeText, deliver, queue, release, clock } = setUp();
    takeText.mockImplementationOnce(answer);
    queue([DONE]);
    wait();
    await clock.advance(0);
    queue([DONE]);
    expect(takeText, 'not with every change').toHaveBeenCalledTimes(1);
    expect(release).not.toHaveBeenCalled();
    await clock.advance(1_000);
    expect(deliver).toHaveBeenCalledTimes(1);
    expect(release).toHaveBeenCalledTimes(1);
  },
);
