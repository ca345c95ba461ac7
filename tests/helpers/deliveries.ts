import type { Delivery, QueueItemHead, QueueItemState } from '../../src/core/queue/queue-item.ts';
import { makeQueueItem } from './queue-items.ts';

/** Chunks of a dictation in the user's hands, by number. */
export function makeDelivery(
  states: readonly (readonly [number: number, state: QueueItemState])[],
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
export function deliveredAs(text: string): QueueItemState {
  return { kind: 'delivered', text, review: null };
}
