import { expect, test } from 'vitest';
import { createSnapshotStore } from '../../src/client/snapshot-store.ts';
import type { ChunkState } from '../../src/core/queue/queue-item.ts';
import { IDLE_SESSION, INITIAL_SNAPSHOT, type Snapshot } from '../../src/core/session/snapshot.ts';
import { reduceSnapshot } from '../../src/core/session/snapshot-reducer.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';

const STALE: Snapshot = reduceSnapshot(INITIAL_SNAPSHOT, {
  kind: 'notice-raised',
  notice: 'storage-full',
  error: null,
});
const BEGUN = reduceSnapshot(STALE, { kind: 'session-began', id: 'new' });

test('a session that was asked for is seen as starting, whatever the worker still says of the one before', () => {
  const store = createSnapshotStore();
  const phases: string[] = [];
  store.subscribe(() => phases.push(store.getSnapshot().session.phase));
  store.expect('new');
  store.apply({ version: 1, session: { ...IDLE_SESSION, id: 'old', phase: 'stopped' } });
  store.apply(STALE);
  const { session, notices } = store.getSnapshot();
  expect(session).toMatchObject({ id: 'new', phase: 'starting' });
  expect(notices).toEqual([]);
  store.apply(BEGUN);
  store.apply({ version: 9, session: { ...BEGUN.session, phase: 'recording' } });
  store.apply({ version: 10, session: IDLE_SESSION });
  expect(phases).toEqual(['starting', 'starting', 'starting', 'starting', 'recording', 'idle']);
});

test('one that did not come about is forgotten, and what the worker said meanwhile is seen', () => {
  const store = createSnapshotStore();
  store.expect('new');
  store.apply(STALE);
  store.forget('another');
  expect(store.getSnapshot().session.phase).toBe('starting');
  store.forget('new');
  expect(store.getSnapshot()).toMatchObject({ session: IDLE_SESSION, notices: STALE.notices });
});

test('nor is it seen when the worker is lost, which its page says', () => {
  const store = createSnapshotStore();
  store.expect('new');
  const error = { code: 'worker-crashed', message: 'gone' } as const;
  store.dispatch({ kind: 'worker-lost', error });
  expect(store.getSnapshot().session).toEqual(IDLE_SESSION);
  expect(store.getSnapshot().notices.map(({ kind }) => kind)).toEqual(['worker-crashed']);
});

test('versions only rise', () => {
  const store = createSnapshotStore();
  store.apply({ version: 40 });
  store.expect('new');
  store.apply({ version: 1 });
  expect(store.getSnapshot().version).toBe(3);
});

test('a dictation that has failed once is listed, also while it is tried again', () => {
  const store = createSnapshotStore();
  const queueWith = (state: ChunkState) => ({
    ...INITIAL_SNAPSHOT.queue,
    items: [makeQueueItem({ dictationId: 'one', state })],
  });
  store.expect('one');
  store.apply({ version: 1, queue: queueWith({ kind: 'pending', isSending: true }) });
  expect(store.getSnapshot().awaited).toEqual(['one']);
  const lastError = { code: 'http-network', message: 'refused' } as const;
  store.apply({
    version: 2,
    queue: queueWith({ kind: 'pending', nextAttemptAtMs: 0, lastError }),
  });
  store.apply({ version: 3, queue: queueWith({ kind: 'pending', isSending: true }) });
  expect(store.getSnapshot().awaited).toEqual([]);
});
