import { expect, test } from 'vitest';
import { type ChunkState, withChange } from '../../src/core/queue/queue-item.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';

const WAITING: ChunkState = { kind: 'pending', nextAttemptAtMs: 0, lastError: null };
const PARKED: ChunkState = {
  kind: 'refused',
  error: { code: 'http-status', message: 'HTTP 413' },
};
const TRANSCRIBED: ChunkState = { kind: 'answered', text: 'words', needsReview: null };
const DOUBTED: ChunkState = {
  kind: 'delivered',
  hasAudio: true,
  needsReview: 'altered',
  text: 'words',
};

test.each([
  [PARKED, WAITING],
  [WAITING, PARKED],
  [WAITING, TRANSCRIBED],
  [TRANSCRIBED, DOUBTED],
  [WAITING, DOUBTED],
])('$kind becomes $kind', (before, after) => {
  expect(withChange(makeQueueItem({ state: before }), { state: after }).state).toBe(after);
});

test.each([
  [TRANSCRIBED, WAITING],
  [TRANSCRIBED, PARKED],
  [DOUBTED, WAITING],
  [DOUBTED, TRANSCRIBED],
])('$kind stays what it is: a tab that says $kind has not seen it yet', (before, after) => {
  expect(withChange(makeQueueItem({ state: before }), { state: after }).state).toBe(before);
});

test('what a person has written down anew waits again, and an older change does not end that', () => {
  const doubted = makeQueueItem({ state: DOUBTED });
  const asked = withChange(doubted, { asks: 1, state: WAITING });
  expect(asked).toMatchObject({ asks: 1, state: WAITING });
  expect(withChange(asked, { asks: 0, state: TRANSCRIBED })).toBe(asked);
});
