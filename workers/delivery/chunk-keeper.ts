import type { Logger } from '../../src/core/logger.ts';
import type { QueueItem } from '../../src/core/queue/queue-item.ts';
import type { QueueCache } from '../queue/queue-cache.ts';

export type ChunkKeeperPorts = {
  readonly cache: Pick<QueueCache, 'add' | 'fetch'>;
  readonly log: Logger;
  /** A chunk is kept, or could not be, and that is noted. */
  readonly onNoted: (id: string) => void;
};

/** Told whether the store has the chunk; nobody sends it before this has ended. */
export type OnKept = (isKept: boolean) => void | Promise<void>;

/** Puts chunks into the store, and has it noted that they are there. */
export type ChunkKeeper = {
  keep(item: QueueItem, onKept: OnKept): Promise<void>;
  /**
   * Leaves what is stored if that is longer. A dead worker may have stored more of a chunk than its
   * journal holds: a slow disk or a power cut took the journal's end, and cut anew it is shorter.
   */
  keepLonger(item: QueueItem, onKept: OnKept): Promise<void>;
  /** Whether a chunk is on its way into the store, or its journal is not cut yet. */
  isKeeping(id: string): boolean;
};

export function createChunkKeeper({ cache, log, onNoted }: ChunkKeeperPorts): ChunkKeeper {
  const underWay = new Set<string>();

  async function storeLonger(item: QueueItem): Promise<boolean> {
    const stored = await cache.fetch(item.id).catch(() => undefined);
    return (stored && stored.durationSamples > item.durationSamples) || cache.add(item);
  }

  async function note(id: string, store: () => Promise<boolean>, onKept: OnKept): Promise<void> {
    // Before it is stored: the queue shows a chunk as soon as it has it.
    underWay.add(id);
    try {
      await onKept(await store());
    } catch (thrown) {
      log.error('A kept chunk could not be noted', thrown);
    } finally {
      underWay.delete(id);
      onNoted(id);
    }
  }

  return {
    keep: (item, onKept) => note(item.id, () => cache.add(item), onKept),
    keepLonger: (item, onKept) => note(item.id, () => storeLonger(item), onKept),
    isKeeping: (id) => underWay.has(id),
  };
}
