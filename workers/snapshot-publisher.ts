import type { CancelTimer, Clock } from '../src/core/clock.ts';
import { INITIAL_SNAPSHOT, type Snapshot } from '../src/core/snapshot.ts';
import type { SnapshotEvent } from '../src/core/snapshot-events.ts';
import { diffSnapshots, type SnapshotPatch } from '../src/core/snapshot-patch.ts';
import { reduceSnapshot } from '../src/core/snapshot-reducer.ts';

/** At most 20 snapshots a second (design, section 3). */
const MIN_INTERVAL_MS = 50;

/** Holds the worker's one snapshot and tells what changes. */
export type SnapshotPublisher = {
  readonly snapshot: Snapshot;
  dispatch(event: SnapshotEvent): void;
  /** Tells `listener` the whole snapshot now, then what changes. */
  subscribe(listener: (patch: SnapshotPatch) => void): void;
};

export function createSnapshotPublisher(clock: Clock): SnapshotPublisher {
  let snapshot = INITIAL_SNAPSHOT;
  let published = INITIAL_SNAPSHOT;
  let lastPublishedMs = Number.NEGATIVE_INFINITY;
  let cancelTimer: CancelTimer | null = null;
  const listeners = new Set<(patch: SnapshotPatch) => void>();

  const publish = (): void => {
    cancelTimer?.();
    cancelTimer = null;
    if (published === snapshot) return;
    const patch = diffSnapshots(published, snapshot);
    published = snapshot;
    lastPublishedMs = clock.nowMs();
    for (const listener of listeners) listener(patch);
  };

  return {
    get snapshot() {
      return snapshot;
    },
    dispatch(event) {
      snapshot = reduceSnapshot(snapshot, event);
      // A person waits for these; the rest may come together.
      const isPhaseChange = snapshot.session.phase !== published.session.phase;
      const waitMs = lastPublishedMs + MIN_INTERVAL_MS - clock.nowMs();
      if (isPhaseChange || waitMs <= 0 || waitMs > MIN_INTERVAL_MS) publish();
      else cancelTimer ??= clock.after(waitMs, publish);
    },
    subscribe(listener) {
      publish();
      listeners.add(listener);
      listener(snapshot);
    },
  };
}
