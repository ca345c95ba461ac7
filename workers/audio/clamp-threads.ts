/** The most threads the machine-learning runtime may use (spec, section 9). */
const MAX_THREADS = 4;

/** What the realm can offer. */
export type ThreadRoom = {
  /** Logical processors, as `navigator.hardwareConcurrency` says. */
  readonly cores: number;
  /** Threads need shared memory, which browsers give to cross-origin isolated pages only. */
  readonly isIsolated: boolean;
};

/** So many of the wanted threads can be had: 1 to 4, and no more than there are cores. */
export function clampThreads(wanted: number, { cores, isIsolated }: ThreadRoom): number {
  if (!isIsolated) return 1;
  const most = Math.min(MAX_THREADS, atLeastOne(cores));
  return Math.min(most, atLeastOne(wanted));
}

function atLeastOne(count: number): number {
  return count >= 1 ? Math.floor(count) : 1;
}
