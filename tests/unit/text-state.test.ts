import { describe, expect, test } from 'vitest';
import type { ChunkState } from '../../src/core/queue/queue-item.ts';
import { INITIAL_SNAPSHOT, type Snapshot } from '../../src/core/session/snapshot.ts';
import { reduceSnapshot } from '../../src/core/session/snapshot-reducer.ts';
import {
  NO_TEXT,
  piecesFrom,
  type TextId,
  type TextState,
  textStateOf,
} from '../../src/core/session/text-state.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';

const dictationId = 'session';
const WAITING: ChunkState = { kind: 'pending', nextAttemptAtMs: 0, lastError: null };
const TEXT: ChunkState = { kind: 'answered', text: 'hej', needsReview: null };
const UNSURE: ChunkState = { kind: 'answered', text: 'hej', needsReview: 'altered' };
const REVIEW: ChunkState = {
  kind: 'delivered',
  hasAudio: true,
  needsReview: 'altered',
  text: 'hej',
};
const COMING: TextState = { kind: 'coming' };
const GONE: TextState = { kind: 'gone' };
const READY: TextState = { kind: 'ready', chunksToReview: 0 };

/** A worker started anew, before it has read the queue, and before it has brought what is not in it. */
const UNREAD = { isLoaded: false, isRecovered: false } as const;
const UNBROUGHT = { isLoaded: true, isRecovered: false } as const;
const KNOWN = { isLoaded: true, isRecovered: true } as const;

/** A snapshot with a queue of chunks numbered from 0; null leaves a number out. */
function seen(
  states: readonly (ChunkState | null)[],
  known: Pick<Snapshot['queue'], 'isLoaded' | 'isRecovered'> = KNOWN,
  openId: string | null = null,
): Snapshot {
  const items = states.flatMap((state, number) => (state ? makeQueueItem({ number, state }) : []));
  const { queue, session } = INITIAL_SNAPSHOT;
  return {
    ...INITIAL_SNAPSHOT,
    queue: { ...queue, ...known, items },
    session: { ...session, id: openId },
  };
}

const error = { code: 'encoding-failed', message: 'no memory' } as const;
const KEPT = [{ dictationId, startedAtMs: 1, durationSamples: 1, error }];
const THIRD: TextId = { dictationId, chunks: new Map([[2, null]]) };

describe('where a text is', () => {
  test.each<[string, Snapshot, before: TextState, after: TextState, TextId?]>([
    ['never seen', seen([]), NO_TEXT, NO_TEXT],
    ["another's", seen([TEXT]), NO_TEXT, NO_TEXT, { dictationId: 'another' }],
    ['all of it is text', seen([TEXT, TEXT]), NO_TEXT, READY],
    ['one chunk is not sent yet', seen([TEXT, WAITING]), NO_TEXT, COMING],
    [
      'some of it may not be all',
      seen([TEXT, UNSURE]),
      COMING,
      { kind: 'ready', chunksToReview: 1 },
    ],
    [
      'audio to review beside it',
      seen([TEXT, REVIEW]),
      COMING,
      { kind: 'ready', chunksToReview: 1 },
    ],
    [
      'only audio to review',
      seen([null, REVIEW]),
      COMING,
      { kind: 'needs-review', chunksToReview: 1 },
    ],
    ['it was there and is no more', seen([]), READY, GONE],
    ['its dictation runs', seen([TEXT], KNOWN, dictationId), NO_TEXT, COMING],
    ['its dictation has only begun', seen([], KNOWN, dictationId), NO_TEXT, NO_TEXT],
    ['part of it is not encoded', { ...seen([TEXT]), kept: KEPT }, NO_TEXT, COMING],
    ['nothing is read yet', seen([TEXT], UNREAD), COMING, COMING],
    ['all is read but not brought', seen([], UNBROUGHT), COMING, COMING],
    ['only review is read', seen([REVIEW], UNBROUGHT), COMING, COMING],
    ['a text is read before the rest is brought', seen([TEXT], UNBROUGHT), COMING, READY],
    ['what is gone stays gone', seen([]), GONE, GONE],
    ['of these chunks alone', seen([WAITING, WAITING, TEXT]), NO_TEXT, READY, THIRD],
    [
      'of these, while it runs',
      seen([TEXT, TEXT, TEXT], KNOWN, dictationId),
      NO_TEXT,
      READY,
      THIRD,
    ],
    ['these are gone, others wait', seen([WAITING]), READY, GONE, THIRD],
  ])('%s', (_why, snapshot, before, after, text = { dictationId }) => {
    expect(textStateOf(snapshot, text, before)).toEqual(after);
  });
});

describe('the pieces of a running dictation', () => {
  const begun = reduceSnapshot(INITIAL_SNAPSHOT, {
    kind: 'session-began',
    id: dictationId,
    isLive: true,
  });
  const say = (numbers: readonly number[]): Snapshot =>
    numbers.reduce(
      (all, number) =>
        reduceSnapshot(all, { kind: 'chunk-transcribed', number, text: `ord${number}` }),
      begun,
    );

  test.each<[string, Snapshot, first: number, numbers: readonly number[], text: string]>([
    ['nothing said', begun, 0, [], ''],
    ['all, in the order of speech', say([1, 0]), 0, [0, 1], 'ord0 ord1'],
    ['up to the first without a text', say([0, 2]), 0, [0], 'ord0'],
    ['behind those that stand there', say([0, 1, 2]), 1, [1, 2], 'ord1 ord2'],
    ['not what is in memory alone', unstored(say([0])), 0, [], ''],
    [
      'not where words are not shown',
      { ...say([0]), session: { ...say([0]).session, live: null } },
      0,
      [],
      '',
    ],
    [
      'not of another dictation',
      { ...say([0]), session: { ...say([0]).session, id: 'b' } },
      0,
      [],
      '',
    ],
  ])('%s', (_why, snapshot, first, numbers, text) => {
    const pieces = piecesFrom(first, dictationId, snapshot);
    expect([...pieces.chunks.keys()]).toEqual(numbers);
    expect(pieces.text).toBe(text);
  });

  function unstored(snapshot: Snapshot): Snapshot {
    return { ...snapshot, queue: { ...snapshot.queue, unstoredItems: 1 } };
  }
});
