import { delMany, getMany, promisifyRequest, setMany } from 'idb-keyval';
import type { EncodedAudio } from '../../src/core/audio/audio-types.ts';
import type { Clock } from '../../src/core/clock.ts';
import {
  compareQueueItems,
  type QueueItem,
  type QueueItemHead,
  type QueueStore,
} from '../../src/core/queue/queue-item.ts';
import { allHeads, audioKey, headKey, upgradeQueue } from './queue-schema.ts';
import { createReopeningStore } from './reopening-store.ts';

/** The queue's database, one for all tabs of an origin. */
export const QUEUE_DATABASE_NAME = 'diktera-queue';

/** What the queue store needs. */
export type IndexedDbQueueStorePorts = {
  readonly clock: Clock;
  /** @default 'diktera-queue' */
  readonly databaseName?: string;
};

/** A queue store and its connection. */
export type IndexedDbQueueStore = QueueStore & {
  /** Closes the connection. */
  dispose(): void;
};

type StoredRecord = readonly [key: IDBValidKey, value: unknown];

/** Head and audio apart, so that lists and state changes never touch the audio. */
function recordsOfItem({ audio, ...head }: QueueItem): StoredRecord[] {
  return [
    [headKey(head.id), head],
    [audioKey(head.id), audio],
  ];
}

/**
 * Makes the queue store on IndexedDB. Every method is one transaction and rejects with
 * `storage-failed`; then nothing of it has happened.
 */
export function createIndexedDbQueueStore(ports: IndexedDbQueueStorePorts): IndexedDbQueueStore {
  const { clock, databaseName = QUEUE_DATABASE_NAME } = ports;
  // The journal gives up what the queue has: it must have it for good.
  const store = createReopeningStore({ databaseName, clock, durability: 'strict' });
  let upgrading: Promise<void> | undefined;

  /** The store at the present version; tried anew if that failed. */
  async function ready(): Promise<typeof store.use> {
    upgrading ??= store.use('readwrite', upgradeQueue).catch((thrown: unknown) => {
      upgrading = undefined;
      throw thrown;
    });
    await upgrading;
    return store.use;
  }

  return {
    async put(item) {
      await setMany(
        recordsOfItem(item).map(([key, value]) => [key, value]),
        await ready(),
      );
    },
    async replace(id, parts) {
      const use = await ready();
      await use('readwrite', async (objectStore) => {
        // Gone means that the user deleted it, or that this is the second call: nothing comes back.
        const key = await promisifyRequest(objectStore.getKey(headKey(id)));
        if (key === undefined) return;
        objectStore.delete(headKey(id));
        objectStore.delete(audioKey(id));
        for (const [partKey, value] of parts.flatMap(recordsOfItem)) {
          objectStore.put(value, partKey);
        }
      });
    },
    async update(id, change) {
      const use = await ready();
      await use('readwrite', async (objectStore) => {
        const head = await promisifyRequest<QueueItemHead | undefined>(
          objectStore.get(headKey(id)),
        );
        if (head !== undefined) objectStore.put({ ...head, ...change }, headKey(id));
      });
    },
    async get(id) {
      const [head, audio] = await getMany<unknown>([headKey(id), audioKey(id)], await ready());
      if (head === undefined || audio === undefined) return undefined;
      return { ...(head as QueueItemHead), audio: audio as EncodedAudio };
    },
    async list() {
      const use = await ready();
      const heads = await use('readonly', (objectStore) =>
        promisifyRequest<QueueItemHead[]>(objectStore.getAll(allHeads())),
      );
      return heads.sort(compareQueueItems);
    },
    async remove(id) {
      await delMany([headKey(id), audioKey(id)], await ready());
    },
    dispose: store.close,
  };
}
