import { afterEach, expect, test, vi } from 'vitest';
import { createPieceDelivery } from '../../src/client/piece-delivery.ts';
import { createSnapshotStore } from '../../src/client/snapshot-store.ts';
import type { DeliveryVerdict } from '../../src/core/contracts/dictation.ts';
import type { TextChunks } from '../../src/core/contracts/worker-api.ts';
import { INITIAL_SNAPSHOT } from '../../src/core/session/snapshot.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';

const ID = 's';

let end = async (): Promise<void> => {};
afterEach(() => end());

/** A page into which pieces go as `insert` says. */
function setUp(insert: (text: string, withdrawn: AbortSignal) => Promise<DeliveryVerdict>) {
  const store = createSnapshotStore();
  const clock = createFakeClock();
  const settled: [DeliveryVerdict, TextChunks][] = [];
  const deliverPiece = vi.fn(insert);
  store.dispatch({ kind: 'session-began', id: ID, isLive: true });
  const pieces = createPieceDelivery({
    sessionId: ID,
    deliverPiece,
    store,
    markDelivered: async ({ chunks }, verdict) => void settled.push([verdict, chunks]),
    clock,
    log: createRecordingLog(),
  });
  end = pieces.close;
  const say = (number: number, text: string) =>
    store.dispatch({ kind: 'chunk-transcribed', number, text });
  const given = () => deliverPiece.mock.calls.map(([text]) => text);
  return { store, clock, pieces, settled, say, given };
}

test('pieces go in one after the other, in the order of speech, and are settled one by one', async () => {
  const { say, given, settled } = setUp(async () => true);
  say(1, 'två');
  expect(given()).toEqual([]);
  say(0, 'ett');
  await expect.poll(given).toEqual(['ett två']);
  say(2, 'tre');
  await expect.poll(given).toEqual(['ett två', 'tre']);
  await expect
    .poll(() => settled.map(([verdict, chunks]) => [verdict, ...chunks.keys()]))
    .toEqual([
      [true, 0, 1],
      [true, 2],
    ]);
});

test('what is refused comes again with the next piece, and nothing passes it', async () => {
  const verdicts: DeliveryVerdict[] = [false, 'altered'];
  const { say, given, settled, pieces } = setUp(async () => verdicts.shift() ?? true);
  say(0, 'ett');
  await expect.poll(given).toEqual(['ett']);
  expect(pieces.delivered.size).toBe(0);
  say(1, 'två');
  await expect.poll(given).toEqual(['ett', 'ett två']);
  await expect.poll(() => settled.map(([verdict]) => verdict)).toEqual(['altered']);
  // Should the worker die before it has stored that, the next is told.
  expect([...pieces.delivered.values()]).toEqual(['altered', 'altered']);
});

test('a piece without words is settled and disturbs nobody', async () => {
  const { say, given, settled } = setUp(async () => true);
  say(0, ' ');
  await expect.poll(() => settled.length).toBe(1);
  expect(given()).toEqual([]);
});

test('at the end the piece on its way has a second more, and no other goes in', async () => {
  let withdrawn: AbortSignal | undefined;
  const { say, given, pieces, clock } = setUp((_, signal) => {
    withdrawn = signal;
    return new Promise(() => {});
  });
  say(0, 'ett');
  await expect.poll(given).toEqual(['ett']);
  let isClosed = false;
  const closing = pieces.close().then(() => {
    isClosed = true;
  });
  expect(withdrawn?.aborted).toBe(true);
  say(1, 'två');
  await clock.advance(999);
  expect(isClosed).toBe(false);
  await clock.advance(1);
  await closing;
  expect(given()).toEqual(['ett']);
  expect(pieces.delivered.size).toBe(0);
});

test('a piece that the disk did not take waits: a new worker would cut it anew', async () => {
  const { say, given, store } = setUp(async () => true);
  const { queue } = INITIAL_SNAPSHOT;
  store.dispatch({ kind: 'queue-changed', queue: { ...queue, unstoredItems: 1 } });
  say(0, 'ett');
  expect(given()).toEqual([]);
  store.dispatch({ kind: 'queue-changed', queue });
  await expect.poll(given).toEqual(['ett']);
});
