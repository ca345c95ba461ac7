import { expect, test } from 'vitest';
import type { ChunkState } from '../../src/core/queue/queue-item.ts';
import {
  IDLE_SESSION,
  INITIAL_SNAPSHOT,
  type SessionState,
  type Snapshot,
} from '../../src/core/session/snapshot.ts';
import { NOTHING_TOLD, type Told, tell } from '../../src/widget/Announcer.tsx';
import { makeQueueItem } from '../helpers/queue-items.ts';

const WAITING: ChunkState = { kind: 'pending', nextAttemptAtMs: 0, lastError: null };
const TEXT: ChunkState = { kind: 'answered', text: 'hej', needsReview: null };
const DOUBTED: ChunkState = {
  kind: 'delivered',
  hasAudio: true,
  needsReview: 'altered',
  text: 'hej',
};

const during = (session: Partial<SessionState>): Snapshot => ({
  ...INITIAL_SNAPSHOT,
  session: { ...IDLE_SESSION, id: 'a', ...session },
});

const after = (states: readonly ChunkState[], deliveredSamples = 0): Snapshot => ({
  ...INITIAL_SNAPSHOT,
  queue: {
    ...INITIAL_SNAPSHOT.queue,
    items: states.map((state, number) => makeQueueItem({ dictationId: 'a', number, state })),
  },
  ledger: { ...INITIAL_SNAPSHOT.ledger, deliveredSamples },
});

const stopped = (text: string) =>
  during({ phase: 'stopped', transcriptions: new Map([[0, text]]) });

/**
 * The announcements, one snapshot after the other; each is seen twice, as in React's strict mode.
 */
function told(snapshots: readonly Snapshot[]) {
  let now: Told = NOTHING_TOLD;
  return snapshots.map((snapshot) => {
    now = tell(tell(now, snapshot), snapshot);
    return now.announcement;
  });
}

const RECORDED = [during({ phase: 'recording' }), during({ phase: 'transcribing' })];

test('before anything is recorded, nothing, whatever waits', () => {
  expect(told([after([WAITING]), after([], 5)])).toEqual([null, null]);
});

test.each([
  ['inserted', [stopped('hej'), after([], 5)], 'done'],
  ['nothing was said', [stopped(''), after([])], 'nothing'],
  ['not inserted', [stopped('hej'), after([TEXT])], 'ready'],
  ['not inserted at first', [stopped('hej'), after([TEXT]), after([], 5)], 'done'],
  ['altered', [stopped('hej'), after([DOUBTED])], 'needsReview'],
  ['altered, and deleted by the person', [stopped('hej'), after([DOUBTED]), after([])], null],
  ['later', [stopped(''), after([WAITING])], 'later'],
  ['later, some of it', [stopped(''), after([WAITING, TEXT])], 'later'],
  ['later, about to be inserted', [stopped(''), after([WAITING]), after([TEXT])], null],
  [
    'later, inserted',
    [stopped(''), after([WAITING]), after([TEXT]), after([], 5), after([], 9)],
    'done',
  ],
  ['later, deleted', [stopped(''), after([WAITING]), after([])], null],
  ['altered, tried again', [stopped('hej'), after([DOUBTED]), after([WAITING])], 'later'],
  ['a worker that died', [after([])], null],
])('%s', (_what, end, expected) => {
  expect(told([...RECORDED, ...end]).at(-1)).toBe(expected);
});

test('a new recording begins without the words of the last', () => {
  const seen = told([...RECORDED, stopped('hej'), after([], 5), during({ phase: 'starting' })]);
  expect(seen).toEqual(['recording', 'transcribing', 'transcribing', 'done', null]);
});

test('a recording thrown away, and had back: its text is on its way, and has come', () => {
  const cancelled: Snapshot = { ...INITIAL_SNAPSHOT, cancelled: 'a' };
  const back = [stopped('hej'), after([], 5)];
  expect(told([RECORDED[0]!, cancelled, ...back])).toEqual([
    'recording',
    'cancelled',
    'transcribing',
    'done',
  ]);
  expect(told([RECORDED[0]!, cancelled, INITIAL_SNAPSHOT]).at(-1)).toBe(null);
});
