import type { Clock } from '../../src/core/clock.ts';
import type { QueueItemHead } from '../../src/core/queue/queue-item.ts';
import type { ItemUploader } from './item-uploader.ts';
import type { QueueCache } from './queue-cache-port.ts';

/** What commands need. */
export type QueueCommandPorts = {
  readonly cache: QueueCache;
  readonly uploader: ItemUploader;
  readonly clock: Clock;
  /** Chunks that somebody waits for, and sessions of open tabs: not thrown away with the rest. */
  readonly isNeeded: (id: string, sessionId: string) => Promise<boolean>;
  readonly refresh: () => Promise<unknown>;
};

/** What a person can ask of chunks. */
export type QueueCommands = {
  /** A chunk that waits, that the server refused or whose text is doubted is due now. */
  makeDue(id: string): Promise<void>;
  discard(id: string): Promise<void>;
  /** All but those of the sessions spared, and those that are needed. */
  discardAll(spared: ReadonlySet<string>): Promise<void>;
  /**
   * The same, asked for in another tab, of what memory alone has here: what is stored that tab has
   * deleted itself. A tab that was suspended hears of it late, when newer chunks may be there.
   */
  discardUnstored(spared: ReadonlySet<string>): Promise<void>;
};

/** Makes the commands of a queue. */
export function createQueueCommands(ports: QueueCommandPorts): QueueCommands {
  const { cache, uploader, clock, isNeeded, refresh } = ports;

  async function discard(id: string): Promise<void> {
    const removed = cache.remove(id, 'deleted');
    uploader.abort(id);
    await removed;
  }

  async function discardEach(
    heads: readonly QueueItemHead[],
    spared: ReadonlySet<string>,
  ): Promise<void> {
    for (const { id, sessionId } of heads) {
      if (!spared.has(sessionId) && !(await isNeeded(id, sessionId))) await discard(id);
    }
  }

  return {
    discard,
    async makeDue(id) {
      const head = cache.head(id);
      const nextAttemptAtMs = clock.nowMs();
      const due = { kind: 'waiting', nextAttemptAtMs } as const;
      switch (head?.state.kind) {
        case 'waiting':
          return cache.change(id, { state: { ...due, lastError: head.state.lastError } });
        case 'parked':
          return cache.change(id, { state: { ...due, lastError: head.state.error } });
        case 'doubted':
          return cache.change(id, { asks: head.asks + 1, state: { ...due, lastError: null } });
        default:
          return;
      }
    },
    async discardAll(spared) {
      await refresh();
      await discardEach(cache.list(), spared);
    },
    discardUnstored: (spared) =>
      discardEach(
        cache.list().filter(({ id }) => cache.isUnstored(id)),
        spared,
      ),
  };
}
