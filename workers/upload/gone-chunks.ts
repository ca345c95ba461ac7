import type { HandedTexts, QueueItemHead } from '../../src/core/queue/queue-item.ts';

/**
 * Chunks that have left the queue, with their lengths: a store that could not remove them must not
 * bring them back. What is longer under the same name is another, cut anew.
 */
export type GoneChunks = {
  /** `texts`: what its recording gets of it, where another tab has that to store. */
  note(id: string, durationSamples: number, texts?: readonly HandedTexts[]): void;
  /** It is in the queue again. */
  forget(id: string): void;
  has(head: Pick<QueueItemHead, 'id' | 'durationSamples'>): boolean;
  textsOf(id: string): readonly HandedTexts[];
};

/** Makes an empty list. */
export function createGoneChunks(): GoneChunks {
  const chunks = new Map<string, { durationSamples: number; texts: readonly HandedTexts[] }>();
  return {
    note: (id, durationSamples, texts = []) => void chunks.set(id, { durationSamples, texts }),
    forget: (id) => void chunks.delete(id),
    has: ({ id, durationSamples }) => durationSamples <= (chunks.get(id)?.durationSamples ?? -1),
    textsOf: (id) => chunks.get(id)?.texts ?? [],
  };
}
