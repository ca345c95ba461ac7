import { isForReview, type QueueItemHead, waitingState } from '../queue/queue-item.ts';
import type { SessionState, Snapshot } from './snapshot.ts';

/** The parts of a snapshot that say which dictations are late. */
export type LateSources = Pick<Snapshot, 'queue' | 'kept' | 'awaited'> & {
  readonly session: Pick<SessionState, 'id'>;
};

/**
 * The queue's chunks that a person must know of: all but those of the session at hand, and of those
 * before it whose text this page awaits, that go their ordinary way.
 */
export function lateItems({
  queue,
  session,
  awaited,
}: Omit<LateSources, 'kept'>): readonly QueueItemHead[] {
  return queue.items.filter(
    (item) =>
      (item.dictationId !== session.id && !awaited.includes(item.dictationId)) || hasLeft(item),
  );
}

/** Something about a chunk failed, or a person has to look at it. */
export function hasLeft({ state }: QueueItemHead): boolean {
  if (state.kind === 'refused' || isForReview(state)) return true;
  return (waitingState(state)?.lastError ?? null) !== null;
}

/** The kept recordings that a person must know of: those of sessions that are over. */
export function lateKept({ kept, session }: Pick<LateSources, 'kept' | 'session'>) {
  return kept.filter(({ dictationId }) => dictationId !== session.id);
}
