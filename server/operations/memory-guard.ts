import type { Clock } from '../../src/core/clock.ts';
import { ApiError } from '../core/api-error.ts';
import { treeMemoryBytes } from './tree-memory.ts';

/** Refuses new work before the system ends a process for want of memory. */
export type MemoryGuard = ReturnType<typeof createMemoryGuard>;

/** Counting takes a fraction of a millisecond, and memory does not fill up faster than this. */
const LOOK_EVERY_MS = 250;

/** Guards `maxBytes` of the memory of all processes together; `count` is how much they have now. */
export function createMemoryGuard(
  maxBytes: number,
  clock: Clock,
  count: () => number = treeMemoryBytes,
) {
  let seen = { bytes: 0, atMs: Number.NEGATIVE_INFINITY };

  function usedBytes(): number {
    const nowMs = clock.nowMs();
    if (Math.abs(nowMs - seen.atMs) >= LOOK_EVERY_MS) seen = { bytes: count(), atMs: nowMs };
    return seen.bytes;
  }

  const isFull = () => usedBytes() > maxBytes;
  return {
    /** Of this process and those it has started, at most a moment ago. */
    usedBytes,
    isFull,
    /** Throws `queue_full` (503) when it is. */
    requireRoom() {
      if (!isFull()) return;
      const message = 'The server has no memory left for more; try again shortly.';
      throw new ApiError(503, 'queue_full', message, { retryAfterS: 10 });
    },
  };
}
