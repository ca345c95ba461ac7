import { describe, expect, test, vi } from 'vitest';
import { createSnapshotStore } from '../../src/client/snapshot-store.ts';
import { createStorageKeeper } from '../../src/client/storage-keeper.ts';
import { INITIAL_SNAPSHOT } from '../../src/core/session/snapshot.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';

function setUp(isKept: boolean | null) {
  const store = createSnapshotStore();
  const clock = createFakeClock();
  const tell = vi.fn();
  const storage = isKept === null ? undefined : newStorage(isKept);
  const log = createRecordingLog();
  const keeper = createStorageKeeper({ storage, store, clock, log, tell });
  const wait = (count: number) => {
    const items = Array.from({ length: count }, (_, number) => makeQueueItem({ number }));
    store.apply({ version: 1, queue: { ...INITIAL_SNAPSHOT.queue, items } });
  };
  return { clock, tell, storage, keeper, wait };
}

function newStorage(isKept: boolean) {
  return { persist: vi.fn(async () => isKept), persisted: vi.fn(async () => isKept) };
}

describe('storage that the browser does not promise to keep', () => {
  test.each([
    ['denied, or a private window', false],
    ['not to be asked, without https', null],
  ])(
    '%s: told once something has waited for a minute, until nothing waits',
    async (_why, isKept) => {
      const { clock, tell, wait } = setUp(isKept);
      wait(1);
      await clock.advance(30_000);
      wait(2);
      await clock.advance(29_999);
      expect(tell).not.toHaveBeenCalled();
      await clock.advance(1);
      expect(tell.mock.calls).toEqual([[true]]);
      wait(1);
      await clock.advance(600_000);
      expect(tell).toHaveBeenCalledTimes(1);
      wait(0);
      expect(tell.mock.calls).toEqual([[true], [false]]);
    },
  );

  test('what is gone before is not spoken of, nor anything where it is kept', async () => {
    const quick = setUp(false);
    quick.wait(1);
    await quick.clock.advance(59_000);
    quick.wait(0);
    await quick.clock.advance(600_000);
    expect(quick.tell).not.toHaveBeenCalled();
    const kept = setUp(true);
    kept.wait(1);
    await kept.clock.advance(600_000);
    expect(kept.tell).not.toHaveBeenCalled();
  });

  test('is asked for once, and nothing is told when it is disposed of', async () => {
    const { clock, tell, storage, keeper, wait } = setUp(false);
    keeper.onRecording();
    keeper.onRecording();
    expect(storage?.persist).toHaveBeenCalledTimes(1);
    wait(1);
    keeper.dispose();
    await clock.advance(600_000);
    expect(tell).not.toHaveBeenCalled();
  });
});
