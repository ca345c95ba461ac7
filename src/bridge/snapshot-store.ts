import { INITIAL_SNAPSHOT, type Snapshot } from '../core/snapshot.ts';
import type { SnapshotEvent } from '../core/snapshot-events.ts';
import { applyPatch, type SnapshotPatch } from '../core/snapshot-patch.ts';
import { reduceSnapshot } from '../core/snapshot-reducer.ts';

/** The page's copy of the worker's snapshot, in the shape `useSyncExternalStore` wants. */
export type SnapshotStore = {
  getSnapshot(): Snapshot;
  subscribe(listener: () => void): () => void;
  /** Takes in what the worker says has changed. */
  apply(patch: SnapshotPatch): void;
  /** Takes in what the worker can no longer say, since it is gone. */
  dispatch(event: SnapshotEvent): void;
};

export function createSnapshotStore(): SnapshotStore {
  let snapshot = INITIAL_SNAPSHOT;
  const listeners = new Set<() => void>();

  const replace = (next: Snapshot): void => {
    // Counted here: a worker started anew counts from the beginning.
    snapshot = { ...next, version: snapshot.version + 1 };
    for (const listener of listeners) listener();
  };

  return {
    getSnapshot: () => snapshot,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    apply: (patch) => replace(applyPatch(snapshot, patch)),
    dispatch: (event) => replace(reduceSnapshot(snapshot, event)),
  };
}
