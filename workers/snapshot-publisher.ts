import type { CancelTimer, Clock } from '../src/core/clock.ts';
import {
  INITIAL_SNAPSHOT,
  type SessionState,
  type Snapshot,
} from '../src/core/session/snapshot.ts';
import type { SnapshotEvent } from '../src/core/session/snapshot-events.ts';
import { diffSnapshots, type SnapshotPatch } from '../src/core/session/snapshot-patch.ts';
import { reduceSnapshot } from '../src/core/session/snapshot-reducer.ts';

/** At most 20 snapshots a second (design, section 3). */
const MIN_INTERVAL_MS = 50;
/** What only a meter would show waits for company so long: meters have ports of their own. */
const QUIET_INTERVAL_MS = 1_500;

/** Holds the worker's one snapshot and tells what changes. */
export type SnapshotPublisher = ReturnType<typeof createSnapshotPublisher>;

export function createSnapshotPublisher(clock: Clock) {
  let snapshot = INITIAL_SNAPSHOT;
  let published = INITIAL_SNAPSHOT;
  let lastPublishedMs = Number.NEGATIVE_INFINITY;
  let timer: { readonly dueMs: number; readonly cancel: CancelTimer } | null = null;
  /** Whether events of this turn are still to be told; and whether they are quiet, all of them. */
  let isGathering = false;
  let isAllQuiet = true;
  const listeners = new Set<(patch: SnapshotPatch) => void>();

  const publish = (): void => {
    timer?.cancel();
    timer = null;
    if (published === snapshot) return;
    const patch = diffSnapshots(published, snapshot);
    published = snapshot;
    lastPublishedMs = clock.nowMs();
    for (const listener of listeners) listener(patch);
  };

  const publishInTime = (): void => {
    const isFirstSound = !hasHeard(published) && hasHeard(snapshot);
    const isQuiet = isAllQuiet && looksAlike(published, snapshot);
    isGathering = false;
    isAllQuiet = true;
    if (published === snapshot) return;
    const intervalMs = isQuiet ? QUIET_INTERVAL_MS : MIN_INTERVAL_MS;
    const dueMs = lastPublishedMs + intervalMs;
    const waitMs = dueMs - clock.nowMs();
    // A person waits for the first sound and for a phase; the rest may come together.
    if (isFirstSound || isOfOtherPhase(published, snapshot) || waitMs <= 0 || waitMs > intervalMs)
      publish();
    else if (!timer || dueMs < timer.dueMs) {
      timer?.cancel();
      timer = { dueMs, cancel: clock.after(waitMs, publish) };
    }
  };

  return {
    get snapshot(): Snapshot {
      return snapshot;
    },
    dispatch(event: SnapshotEvent) {
      const next = reduceSnapshot(snapshot, event);
      // No phase is left out, not even one that lasted for a part of a turn.
      if (isOfOtherPhase(published, snapshot) && isOfOtherPhase(snapshot, next)) publish();
      snapshot = next;
      isAllQuiet &&= QUIET_EVENTS.has(event.kind);
      if (isGathering) return;
      isGathering = true;
      // What changes in one turn belongs together: a list that is empty and its notice that goes.
      queueMicrotask(publishInTime);
    },
    /** Tells `listener` the whole snapshot now, then what changes. */
    subscribe(listener: (patch: SnapshotPatch) => void) {
      publish();
      listeners.add(listener);
      listener(snapshot);
    },
  };
}

/** Events that come with every frame, or every few. */
const QUIET_EVENTS: ReadonlySet<SnapshotEvent['kind']> = new Set([
  'frame-processed',
  'ledger-changed',
]);

function isOfOtherPhase({ session: one }: Snapshot, { session: other }: Snapshot): boolean {
  return one.phase !== other.phase;
}

function hasHeard({ session }: Snapshot): boolean {
  return session.accumulatedRecordingMs > 0;
}

/** Whether a person would see no difference: the clock shows whole seconds. */
function looksAlike({ session: one }: Snapshot, { session: other }: Snapshot): boolean {
  const second = ({ accumulatedRecordingMs }: SessionState) =>
    Math.floor(accumulatedRecordingMs / 1_000);
  return (
    one.isSpeaking === other.isSpeaking &&
    one.microphoneProblem === other.microphoneProblem &&
    second(one) === second(other)
  );
}
