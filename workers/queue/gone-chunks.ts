import type { QueueItemHead } from '../../src/core/queue/queue-item.ts';

/**
 * Chunks that have left the queue, with their lengths: a store that could not remove them must not
 * bring them back. What is longer under the same name is another, cut anew.
 */
export type GoneChunks = {
  note(id: string, durationSamples: number): void;
  /** It is in the queue again. */
  forget(id: string): void;
  has(head: Pick<QueueItemHead, 'id' | 'durationSamples'>): boolean;
};

/** Makes an empty list. */
export function createGoneChunks(): GoneChunks {
  const lengths = new Map<string, number>();
  return {
    note: (id, durationSamples) => void lengths.set(id, durationSamples),
    forget: (id) => void lengths.delete(id),
    has: ({ id, durationSamples }) => durationSamples <= (lengths.get(id) ?? -1),
  };
}
