import { afterEach, describe, expect, test, vi } from 'vitest';
import { createSnapshotStore } from '../../src/client/snapshot-store.ts';
import { createTextInbox } from '../../src/client/text-inbox.ts';
import type { DeliveryVerdict, DictationResult } from '../../src/core/contracts/dictation.ts';
import type { ChunkState } from '../../src/core/queue/queue-item.ts';
import { INITIAL_SNAPSHOT } from '../../src/core/session/snapshot.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { createFakeConnection } from '../helpers/fake-connection.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';
import { until } from '../helpers/until.ts';

const ID = 'session';
const WAITING: ChunkState = { kind: 'pending', nextAttemptAtMs: 0, lastError: null };
const DONE: ChunkState = { kind: 'answered', text: 'hej', needsReview: null };
const DOUBTED: ChunkState = {
  kind: 'delivered',
  hasAudio: true,
  needsReview: 'altered',
  text: 'hej',
};
const CHUNKS = new Map([
  [0, null],
  [1, null],
]);

// One tab: no Web Locks.
vi.stubGlobal('navigator', {});

let end = (): void => {};
afterEach(() => end());

/** A page's inbox, and a worker that gives what is claimed. */
function setUp() {
  const store = createSnapshotStore();
  const clock = createFakeClock();
  const { connection, apis } = createFakeConnection();
  const [api] = apis;
  if (!api) throw new Error('No worker');
  const reports = { raise: vi.fn(), clear: vi.fn() };
  const inbox = createTextInbox({ store, connection, reports, clock, log: createRecordingLog() });
  end = inbox.dispose;
  const queue = (
    states: readonly (ChunkState | null)[],
    isLoaded = true,
    isRecovered = isLoaded,
  ) => {
    const items = states.flatMap((state, number) =>
      state ? makeQueueItem({ number, state }) : [],
    );
    store.dispatch({
      kind: 'queue-changed',
      queue: { ...INITIAL_SNAPSHOT.queue, items, isLoaded, isRecovered },
    });
  };
  return { store, clock, api, reports, inbox, queue };
}

describe('a late text', () => {
  function setUpLate() {
    const parts = setUp();
    const deliver = vi.fn(async (_result: DictationResult, _withdrawn: AbortSignal) => true);
    const release = vi.fn(async () => {});
    const wait = () => parts.inbox.awaitLate(ID, deliver, { held: Promise.resolve(), release });
    return { ...parts, deliver, release, wait };
  }

  test('is delivered once, when the last of its chunks has come', async () => {
    const { wait, api, deliver, queue } = setUpLate();
    queue([DONE, WAITING]);
    wait();
    queue([DONE, { kind: 'pending', isSending: true }]);
    expect(api.claim).not.toHaveBeenCalled();
    queue([DONE, DONE]);
    queue([DONE, DONE]);
    await until(() => deliver.mock.calls.length > 0);
    expect(api.claim).toHaveBeenCalledTimes(1);
    expect(deliver.mock.calls[0]).toEqual([
      { text: 'sent', failedChunks: 0, chunksToReview: 0 },
      expect.any(AbortSignal),
    ]);
  });

  test('taken from the list, or thrown away: the place kept for it is given up', () => {
    const { wait, api, deliver, queue } = setUpLate();
    queue([WAITING]);
    wait();
    queue([]);
    expect(api.claim).not.toHaveBeenCalled();
    expect(deliver.mock.calls.map(([{ text }]) => text)).toEqual(['']);
  });

  test('a snapshot older than the end of the session does not give the place up', () => {
    const { wait, api, deliver, queue } = setUpLate();
    queue([]);
    wait();
    queue([]);
    expect(deliver).not.toHaveBeenCalled();
    queue([DONE]);
    expect(api.claim).toHaveBeenCalledTimes(1);
  });

  test('a worker started anew knows nothing at first: the text is still awaited', () => {
    const { wait, api, deliver, queue } = setUpLate();
    queue([WAITING]);
    wait();
    queue([], false);
    expect(deliver).not.toHaveBeenCalled();
    queue([DONE]);
    expect(api.claim).toHaveBeenCalledTimes(1);
  });

  test('a text is not whole while part of its recording could not be encoded', async () => {
    const { store, wait, api, deliver, queue } = setUpLate();
    const error = { code: 'encoding-failed', message: 'no memory' } as const;
    const kept = [{ dictationId: 'session', startedAtMs: 1, durationSamples: 1, error }];
    store.dispatch({ kind: 'kept-changed', kept });
    wait();
    queue([DONE, DONE]);
    expect(api.claim).not.toHaveBeenCalled();
    store.dispatch({ kind: 'kept-changed', kept: [] });
    await until(() => deliver.mock.calls.length > 0);
    expect(api.claim).toHaveBeenCalledTimes(1);
  });

  test('a worker started anew has what the dead one had in its memory brought out of the journal first', async () => {
    const { wait, api, deliver, queue, release } = setUpLate();
    queue([WAITING]);
    wait();
    queue([], true, false);
    expect(deliver).not.toHaveBeenCalled();
    expect(release, 'other tabs still leave it alone').not.toHaveBeenCalled();
    queue([DONE], true, true);
    await until(() => release.mock.calls.length > 0);
    expect(api.claim).toHaveBeenCalledTimes(1);
  });

  test.each([
    ['another tab has it just then', async () => null],
    ['the worker dies just then', () => Promise.reject(new Error('gone'))],
  ])(
    'a text that is not given, since %s, is asked for again, and keeps its place',
    async (_why, answer) => {
      const { wait, api, deliver, queue, release, clock } = setUpLate();
      api.claim.mockImplementationOnce(answer);
      queue([DONE]);
      wait();
      await clock.advance(0);
      queue([DONE]);
      expect(api.claim, 'not with every change').toHaveBeenCalledTimes(1);
      expect(release).not.toHaveBeenCalled();
      await clock.advance(1_000);
      expect(deliver).toHaveBeenCalledTimes(1);
      expect(release).toHaveBeenCalledTimes(1);
    },
  );

  test('of which only audio to review is left comes nowhere: that is said, once all is known', () => {
    const { wait, api, deliver, queue } = setUpLate();
    queue([WAITING, DOUBTED]);
    wait();
    queue([null, DOUBTED], true, false);
    expect(deliver, 'the rest may still be in the journal').not.toHaveBeenCalled();
    queue([null, DOUBTED]);
    expect(api.claim).not.toHaveBeenCalled();
    expect(deliver.mock.calls.map(([result]) => result)).toEqual([
      { text: '', failedChunks: 0, chunksToReview: 1 },
    ]);
  });
});

describe('a text on its way into the page', () => {
  /** Of two chunks, into a page that answers when the test has it answer. */
  function setUpText() {
    const parts = setUp();
    const withdrawn = vi.fn();
    let answer: (verdict: DeliveryVerdict) => void = () => {};
    const insert = () =>
      parts.inbox.insert({ dictationId: ID, chunks: CHUNKS }, (signal) => {
        signal.addEventListener('abort', withdrawn);
        return new Promise((resolve) => {
          answer = resolve;
        });
      });
    return { ...parts, insert, withdrawn, answer: (verdict: DeliveryVerdict) => answer(verdict) };
  }

  test('a text that the user throws away, here or in another tab, does not go in any more', async () => {
    const { queue, insert, withdrawn, clock, reports } = setUpText();
    queue([DONE, DONE]);
    const inserting = insert();
    queue([null, DONE]);
    expect(withdrawn, 'some of it is still wanted').not.toHaveBeenCalled();
    queue([]);
    expect(withdrawn).toHaveBeenCalledTimes(1);
    await clock.advance(1_000);
    expect(await inserting).toBe(false);
    expect(reports.raise, 'nothing waits that a person should be told of').not.toHaveBeenCalled();
  });

  test('one that is in at that very moment is in', async () => {
    const { queue, insert, answer } = setUpText();
    queue([DONE, DONE]);
    const inserting = insert();
    queue([]);
    answer(true);
    expect(await inserting).toBe(true);
  });

  test('a queue that is not known whole, or not yet, says nothing of it', async () => {
    const { queue, insert, withdrawn, answer } = setUpText();
    queue([]);
    const inserting = insert();
    queue([], true, false);
    queue([]);
    queue([DONE, DONE]);
    queue([], true, false);
    expect(withdrawn).not.toHaveBeenCalled();
    answer(true);
    expect(await inserting).toBe(true);
  });

  test('a text that is refused waits, and a person is told', async () => {
    const { queue, insert, answer, reports } = setUpText();
    queue([DONE, DONE]);
    const inserting = insert();
    answer(false);
    expect(await inserting).toBe(false);
    expect(reports.raise.mock.calls).toEqual([['text-not-inserted']]);
    queue([DOUBTED, WAITING]);
    expect(reports.clear).not.toHaveBeenCalled();
    queue([DOUBTED]);
    expect(reports.clear.mock.calls).toEqual([['text-not-inserted']]);
  });

  test('a refused text waits as well when its chunks have been cut anew, with other numbers', async () => {
    const { queue, insert, answer, reports } = setUpText();
    queue([DONE, DONE]);
    const inserting = insert();
    answer(false);
    await inserting;
    queue([null, null, WAITING]);
    expect(reports.clear).not.toHaveBeenCalled();
    queue([]);
    expect(reports.clear.mock.calls).toEqual([['text-not-inserted']]);
  });

  test('whose chunks only need review is neither withdrawn nor told of', async () => {
    const { queue, insert, withdrawn, answer, reports } = setUpText();
    queue([DOUBTED, DOUBTED]);
    const inserting = insert();
    queue([null, DOUBTED]);
    expect(withdrawn).not.toHaveBeenCalled();
    answer(false);
    expect(await inserting).toBe(false);
    expect(reports.clear.mock.calls, 'at once').toEqual([['text-not-inserted']]);
  });
});

describe('live pieces', () => {
  /** A page into which they go as `insert` says. */
  function setUpPieces(insert: (text: string, withdrawn: AbortSignal) => Promise<DeliveryVerdict>) {
    const { store, clock, inbox, api } = setUp();
    const deliverPiece = vi.fn(insert);
    store.dispatch({ kind: 'session-began', id: ID, isLive: true });
    const pieces = inbox.insertPieces(ID, deliverPiece);
    const say = (number: number, text: string) =>
      store.dispatch({ kind: 'chunk-transcribed', number, text });
    const given = () => deliverPiece.mock.calls.map(([text]) => text);
    const settled = () =>
      api.markDelivered.mock.calls.map(([, verdict, chunks]) => [verdict, ...chunks.keys()]);
    return { store, clock, pieces, settled, say, given };
  }

  test('pieces go in one after the other, in the order of speech, and are told of one by one', async () => {
    const { say, given, settled } = setUpPieces(async () => true);
    say(1, 'två');
    expect(given()).toEqual([]);
    say(0, 'ett');
    await expect.poll(given).toEqual(['ett två']);
    say(2, 'tre');
    await expect.poll(given).toEqual(['ett två', 'tre']);
    await expect.poll(settled).toEqual([
      [true, 0, 1],
      [true, 2],
    ]);
  });

  test('what is refused comes again with the next piece, and nothing passes it', async () => {
    const verdicts: DeliveryVerdict[] = [false, 'altered'];
    const { say, given, settled, pieces } = setUpPieces(async () => verdicts.shift() ?? true);
    say(0, 'ett');
    await expect.poll(given).toEqual(['ett']);
    expect(pieces.delivered.size).toBe(0);
    say(1, 'två');
    await expect.poll(given).toEqual(['ett', 'ett två']);
    await expect.poll(settled).toEqual([['altered', 0, 1]]);
    // Should the worker die before it has stored that, the next is told.
    expect([...pieces.delivered.values()]).toEqual(['altered', 'altered']);
  });

  test('a piece without words is told of and disturbs nobody', async () => {
    const { say, given, settled } = setUpPieces(async () => true);
    say(0, ' ');
    await expect.poll(settled).toEqual([[true, 0]]);
    expect(given()).toEqual([]);
  });

  test('at the end the piece on its way has a second more, and no other goes in', async () => {
    let withdrawn: AbortSignal | undefined;
    const { say, given, pieces, clock } = setUpPieces((_, signal) => {
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
    const { say, given, store } = setUpPieces(async () => true);
    const { queue } = INITIAL_SNAPSHOT;
    store.dispatch({ kind: 'queue-changed', queue: { ...queue, unstoredItems: 1 } });
    say(0, 'ett');
    expect(given()).toEqual([]);
    store.dispatch({ kind: 'queue-changed', queue });
    await expect.poll(given).toEqual(['ett']);
  });
});
