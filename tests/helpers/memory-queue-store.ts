import {
  compareQueueItems,
  isClosed,
  type QueueItem,
  withChange,
} from '../../src/core/queue/queue-item.ts';
import type { ChunkStore } from '../../workers/store/chunk-store.ts';

/** A queue that lives as long as the test. */
export function createMemoryQueueStore(): ChunkStore {
  const items = new Map<string, QueueItem>();
  return {
    async put(item) {
      items.set(item.id, item);
      return true;
    },
    async cut(_cut, goneId) {
      if (goneId !== null) items.delete(goneId);
    },
    async update(id, change) {
      const item = items.get(id);
      if (item) items.set(id, { ...withChange(item, change), audio: item.audio });
    },
    async get(id) {
      return items.get(id);
    },
    async list() {
      return [...items.values()].map(({ audio: _audio, ...head }) => head).sort(compareQueueItems);
    },
    async remove(id) {
      items.delete(id);
    },
    async markDelivered(delivery) {
      for (const { id, state } of delivery.chunks) {
        const item = items.get(id);
        if (isClosed(state)) items.delete(id);
        else if (item) items.set(id, { ...withChange(item, { state }), audio: item.audio });
      }
      return null;
    },
  };
}
