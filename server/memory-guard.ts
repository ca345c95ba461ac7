import { ApiError } from './api-error.ts';

/** Refuses new work before the system ends the process for want of memory. */
export type MemoryGuard = {
  isFull(): boolean;
  /** Throws `queue_full` (503) when it is. */
  requireRoom(): void;
};

/** Guards `maxBytes` of resident memory; `residentBytes` is how much the process has now. */
export function createMemoryGuard(
  maxBytes: number,
  residentBytes: () => number = () => process.memoryUsage.rss(),
): MemoryGuard {
  const isFull = () => residentBytes() > maxBytes;
  return {
    isFull,
    requireRoom() {
      if (!isFull()) return;
      const message = 'The server has no memory left for more; try again shortly.';
      throw new ApiError(503, 'queue_full', message, { retryAfterS: 10 });
    },
  };
}
