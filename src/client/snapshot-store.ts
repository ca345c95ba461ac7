import type { QueueItemHead } from '../core/queue/queue-item.ts';
import { IDLE_SESSION, INITIAL_SNAPSHOT, type Snapshot } from '../core/session/snapshot.ts';
import {
  applyPatch,
  type OwnSnapshotEvent,
  reduceInPage,
  type SnapshotPatch,
} from '../core/session/snapshot-reducer.ts';
import { hasLeft } from '../core/session/text-state.ts';

/** The page's copy of the worker's snapshot, in the shape `useSyncExternalStore` wants. */
export type SnapshotStore = ReturnType<typeof createSnapshotStore>;

const START_DELAYED = { kind: 'notice-raised', notice: 'start-delayed', error: null } as const;

/** Makes the page's copy of the snapshot, of which no worker has told anything yet. */
export function createSnapshotStore() {
  /** As the worker tells it. */
  let told = INITIAL_SNAPSHOT;
  let expectedId: string | null = null;
  let isDelayed = false;
  let awaited = INITIAL_SNAPSHOT.awaited;
  /** A cancelled session is shown as over from then on, whatever is still to be done for it. */
  let overId: string | null = null;
  let cancelled = INITIAL_SNAPSHOT.cancelled;
  let snapshot = INITIAL_SNAPSHOT;
  const listeners = new Set<() => void>();

  const show = (): void => {
    let seen = told;
    if (expectedId !== null) {
      seen = reduceInPage(told, { kind: 'session-began', id: expectedId });
      if (isDelayed) seen = reduceInPage(seen, START_DELAYED);
    }
    if (overId !== null && overId === seen.session.id) seen = { ...seen, session: IDLE_SESSION };
    // Tried again, it is not to vanish from the list, and come back if that fails.
    awaited = withoutFailed(awaited, seen.queue.items);
    // Counted here: a worker started anew counts from the beginning.
    snapshot = { ...seen, awaited, cancelled, version: snapshot.version + 1 };
    for (const listener of listeners) listener();
  };

  return {
    getSnapshot: (): Snapshot => snapshot,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Takes in what the worker says has changed. */
    apply(patch: SnapshotPatch): void {
      told = applyPatch(told, patch);
      if (told.session.id === expectedId) expectedId = null;
      show();
    },
    /** Takes in what the worker can no longer say, since it is gone. */
    dispatch(event: OwnSnapshotEvent): void {
      told = reduceInPage(told, event);
      expectedId = null;
      show();
    },
    /**
     * A session has been asked for: shown as starting until the worker tells of it, which may take a
     * while. Its text is awaited from now on.
     */
    expect(dictationId: string): void {
      expectedId = dictationId;
      isDelayed = false;
      if (!awaited.includes(dictationId)) awaited = [...awaited, dictationId];
      show();
    },
    /**
     * Shows that no worker has begun the expected session for a long time; null ends that. False if
     * the session is not expected any more, since a worker reports it.
     */
    delay(dictationId: string | null): boolean {
      isDelayed = dictationId !== null && dictationId === expectedId;
      show();
      return isDelayed;
    },
    /** The text of a session is not awaited any more: what there is of it is listed from now on. */
    tellLate(dictationId: string): void {
      if (!awaited.includes(dictationId)) return;
      awaited = awaited.filter((id) => id !== dictationId);
      show();
    },
    /** A session is cancelled: shown as over, and in no list until `uncancel`. */
    cancel(dictationId: string): void {
      overId = dictationId;
      cancelled = dictationId;
      show();
    },
    /** That cannot be undone any more, or (`isWanted`) has been undone. */
    uncancel(isWanted: boolean): void {
      cancelled = null;
      if (isWanted) overId = null;
      show();
    },
    /** The page has done with a session, started or not: whoever waits for that looks again. */
    forget(dictationId: string): void {
      if (expectedId === dictationId) expectedId = null;
      show();
    },
  };
}

/** The dictations of which no chunk has failed; the same array if that is true of all. */
function withoutFailed(
  awaited: readonly string[],
  items: readonly QueueItemHead[],
): readonly string[] {
  const failed = new Set(items.filter(hasLeft).map(({ dictationId }) => dictationId));
  return awaited.some((id) => failed.has(id)) ? awaited.filter((id) => !failed.has(id)) : awaited;
}
