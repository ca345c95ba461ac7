import { expect, test, vi } from 'vitest';
import type { SnapshotEvent } from '../../src/core/session/snapshot.ts';
import { createDiskWatch } from '../../workers/store/database.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';

function setUp(estimate: () => Promise<StorageEstimate>) {
  const clock = createFakeClock();
  const events: SnapshotEvent[] = [];
  const watch = createDiskWatch({ estimate, clock, dispatch: (event) => events.push(event) });
  return { clock, watch, kinds: () => events.map(({ kind }) => kind) };
}

test('looks at once and every half minute, says when room is short and when it is not any more', async () => {
  let free = 40_000_000;
  const { clock, watch, kinds } = setUp(async () => ({ quota: 1e9, usage: 1e9 - free }));
  watch.start();
  watch.start();
  await clock.advance(0);
  expect(kinds()).toEqual(['notice-raised']);
  free = 60_000_000;
  await clock.advance(30_000);
  expect(kinds()).toEqual(['notice-raised', 'notice-cleared']);
  watch.stop();
  await clock.advance(90_000);
  expect(kinds()).toHaveLength(2);
});

test('a browser that does not tell is not taken for a full disk, and is asked again', async () => {
  let asked = 0;
  const { clock, watch, kinds } = setUp(async () => {
    asked += 1;
    if (asked === 1) throw new TypeError('Not allowed here');
    return {};
  });
  watch.start();
  await clock.advance(30_000);
  expect(asked).toBe(2);
  expect(kinds()).toEqual(['notice-cleared']);
});

test('a browser that never answers is asked again', async () => {
  const estimate = vi.fn(() => new Promise<never>(() => {}));
  const { clock, watch } = setUp(estimate);
  watch.start();
  await clock.advance(60_000);
  expect(estimate).toHaveBeenCalledTimes(2);
});
