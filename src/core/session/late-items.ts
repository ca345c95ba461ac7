import type { QueueItemHead } from '../queue/queue-item.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * The queue's chunks that a person must know of ("Väntande dikteringar"): all but those of the
 * session at hand that go their ordinary way, whose text comes with the session's.
 */
export function lateItems({
  queue,
  session,
}: Pick<Snapshot, 'queue' | 'session'>): readonly QueueItemHead[] {
  return queue.items.filter((item) => item.sessionId !== session.id || hasLeft(item));
}

function hasLeft({ state }: QueueItemHead): boolean {
  if (state.kind === 'parked' || state.kind === 'doubted') return true;
  return state.kind === 'waiting' && state.lastError !== null;
}

/** The kept recordings that a person must know of: those of sessions that are over. */
export function lateKept({ kept, session }: Pick<Snapshot, 'kept' | 'session'>) {
  return kept.filter(({ sessionId }) => sessionId !== session.id);
}
