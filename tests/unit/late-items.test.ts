import { expect, it } from 'vitest';
import type { ChunkState } from '../../src/core/queue/queue-item.ts';
import { IDLE_SESSION, INITIAL_SNAPSHOT } from '../../src/core/session/snapshot.ts';
import { lateItems } from '../../src/core/session/text-state.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';

const error = { code: 'http-status', message: 'POST /: 500' } as const;
const STATES: readonly ChunkState[] = [
  { kind: 'pending', nextAttemptAtMs: 0, lastError: null },
  { kind: 'pending', isSending: true },
  { kind: 'answered', text: 'hej', needsReview: null },
  { kind: 'pending', nextAttemptAtMs: 0, lastError: error },
  { kind: 'refused', error },
];

it('shows of the running session only what has left it, and of others everything', () => {
  const items = ['now', 'before'].flatMap((dictationId) =>
    STATES.map((state, number) => makeQueueItem({ dictationId, number, state })),
  );
  const ids = (id: string | null, awaited: readonly string[] = []) =>
    lateItems({
      queue: { ...INITIAL_SNAPSHOT.queue, items },
      session: { ...IDLE_SESSION, id },
      awaited,
    }).map((item) => item.id);
  const before = [0, 1, 2, 3, 4].map((number) => `before:${number}`);
  expect(ids('now')).toEqual(['now:3', 'now:4', ...before]);
  expect(ids(null)).toHaveLength(10);
  expect(ids('now', ['before']), 'on its way to its place').toEqual([
    'now:3',
    'now:4',
    'before:3',
    'before:4',
  ]);
});
