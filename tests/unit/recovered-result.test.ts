import { expect, test, vi } from 'vitest';
import type { DictationLocks } from '../../src/platform/locks.ts';
import type { WorkerParts } from '../../workers/assemble-worker.ts';
import { createDictationWorker } from '../../workers/dictation-worker.ts';
import { createLettingGo } from '../../workers/session/letting-go.ts';
import { createRecovery } from '../../workers/session/recovery.ts';
import { createSampleAccounts } from '../../workers/session/sample-accounts.ts';
import { createSnapshotPublisher } from '../../workers/snapshot-publisher.ts';
import type { Journal } from '../../workers/store/journal.ts';
import { DictationEntries } from '../../workers/upload/dictation-entry.ts';
import { createUploadQueue } from '../../workers/upload/upload-queue.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { createMemoryQueueStore } from '../helpers/memory-queue-store.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';

/**
 * A worker beside a dead one, which lets its session go after a while; its journal is all in the
 * queue.
 */
async function setUp(lockHeldMs: number) {
  const clock = createFakeClock();
  const log = createRecordingLog();
  const publisher = createSnapshotPublisher(clock);
  const store = createMemoryQueueStore();
  const encoder = {} as WorkerParts['encoder'];
  await store.put(
    makeQueueItem({
      dictationId: 'dead',
      state: { kind: 'answered', text: 'the beginning', needsReview: null },
    }),
  );
  const queue = createUploadQueue({
    store,
    request: async () => ({ kind: 'answered', text: 'text', needsReview: null }),
    clock,
    random: () => 0,
    log,
    onChange: () => {},
  });
  const locks: Pick<DictationLocks, 'take'> = {
    take: (_id, waitMs = 0) =>
      new Promise((resolve) => {
        const isLate = waitMs < lockHeldMs;
        clock.after(Math.min(waitMs, lockHeldMs), () => resolve(isLate ? undefined : () => {}));
      }),
  };
  const journal = { read: async () => undefined } as unknown as Journal;
  const entries = new DictationEntries();
  const dispatch = () => {};
  const lettingGo = createLettingGo({ entries, queue, journal, dispatch } as unknown as Parameters<
    typeof createLettingGo
  >[0]);
  const recovery = createRecovery({
    journal,
    locks: locks as DictationLocks,
    queue,
    encoder,
    accounts: createSampleAccounts(),
    entries,
    lettingGo,
    dispatch,
    clock,
    log,
    recordings: { recovering() {}, complete: async () => {} },
    loadEngine: () => Promise.reject(new Error('none')),
  });
  const worker = createDictationWorker({
    publisher,
    clock,
    log,
    holdLock: async () => {},
    parts: { queue, recovery } as WorkerParts,
  });
  return { worker, clock, queue, recovery };
}

test('a session of which the journal alone has a part is no whole either', async () => {
  const { worker, clock, queue, recovery } = await setUp(0);
  vi.spyOn(recovery, 'recover').mockResolvedValue('in-part');
  const recovered = worker.recover('dead', new Map());
  await clock.advance(0);
  expect(await recovered).toMatchObject({ text: 'the beginning', failedChunks: 1 });
  queue.dispose();
});

test.each([
  [
    8_000,
    { text: 'the beginning', chunks: new Map([[0, null]]), failedChunks: 0, chunksToReview: 0 },
  ],
  [60_000, { text: '', chunks: new Map(), failedChunks: 1, chunksToReview: 0 }],
])(
  'a dead worker that keeps its session for %i ms: nothing is given as whole that is not',
  async (lockHeldMs, expected) => {
    const { worker, clock, queue } = await setUp(lockHeldMs);
    const recovered = worker.recover('dead', new Map());
    await clock.advance(lockHeldMs);
    expect(await recovered).toMatchObject(expected);
    queue.dispose();
  },
);
