import type { ItemChange, QueueItemHead, QueueItemState } from './queue-item.ts';

/** How far a chunk has come on its way to the user's hands. */
const PROGRESS: Readonly<Record<QueueItemState['kind'], number>> = {
  waiting: 0,
  sending: 0,
  parked: 0,
  transcribed: 1,
  doubted: 2,
  delivered: 3,
};

/**
 * A stored head with a change of it. Of several tabs one may not know yet what another has done:
 * what has become text, or is in the user's hands, waits again only where a person has it written
 * down anew. Gives the same head if the change is older than it.
 */
export function withChange(head: QueueItemHead, change: ItemChange): QueueItemHead {
  const { state = head.state, asks = head.asks } = change;
  const isStepBack = asks === head.asks && PROGRESS[state.kind] < PROGRESS[head.state.kind];
  return asks < head.asks || isStepBack ? head : { ...head, ...change };
}
