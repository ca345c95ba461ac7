import type { ChunkState, Delivery, QueueItemHead } from '../../src/core/queue/queue-item.ts';
import { makeQueueItem } from './queue-items.ts';

/** Chunks of a dictation in the user's hands, by number. */
export function makeDelivery(
  states: readonly (readonly [number: number, state: ChunkState])[],
  change: Partial<Delivery> = {},
): Delivery {
  const { dictationId = 'session' } = change;
  const chunks = states.map(([number, state]): QueueItemHead => {
    const { audio: _audio, ...head } = makeQueueItem({ dictationId, number });
    return { ...head, state };
  });
  return { dictationId, chunks, atMs: 2, start: null, isOver: false, ...change };
}

/** A state that says nothing against a text. */
export function deliveredAs(text: string): ChunkState {
  return { kind: 'delivered', text, needsReview: null };
}
