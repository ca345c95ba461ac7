import { withChange } from '../../src/core/queue/item-change.ts';
import {
  compareQueueItems,
  type HandedTexts,
  type QueueItem,
  type QueueStore,
} from '../../src/core/queue/queue-item.ts';

/** A queue that lives as long as the test. `note` has what the recordings get. */
export function createMemoryQueueStore(
  note: (texts: readonly HandedTexts[]) => void = () => {},
): QueueStore {
  const items = new Map<string, QueueItem>();
  return {
    async put(given) {
      for (const item of given) items.set(item.id, item);
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
    async settle({ gone, doubted, texts }) {
      for (const id of gone) items.delete(id);
      for (const [id, state] of doubted) {
        const item = items.get(id);
        if (item) items.set(id, { ...withChange(item, { state }), audio: item.audio });
      }
      note(texts);
      return [];
    },
  };
}
