import type { Snapshot } from './snapshot.ts';

/**
 * The parts of a snapshot that changed. Sent instead of the whole, so that what did not change keeps
 * its identity on the other side of the thread, and nothing is drawn again for it.
 */
export type SnapshotPatch = { readonly version: number } & Partial<Omit<Snapshot, 'version'>>;

/** What turns `before` into `after`: each part that is not the same object any more, whichever there are. */
export function diffSnapshots(before: Snapshot, after: Snapshot): SnapshotPatch {
  const keys = Object.keys(after) as (keyof Snapshot)[];
  const changed = keys.filter((key) => before[key] !== after[key]);
  const parts: Partial<Snapshot> = Object.fromEntries(changed.map((key) => [key, after[key]]));
  return { ...parts, version: after.version };
}

/** The snapshot with a patch's parts in place of its own. */
export function applyPatch(snapshot: Snapshot, patch: SnapshotPatch): Snapshot {
  return { ...snapshot, ...patch };
}
