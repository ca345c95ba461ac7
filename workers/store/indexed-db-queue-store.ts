import { promisifyRequest } from 'idb-keyval';
import type { EncodedAudio } from '../../src/core/audio/audio-types.ts';
import { withChange } from '../../src/core/queue/item-change.ts';
import {
  createOwnerScope,
  NO_OWNER,
  type Owned,
  type Owner,
  type OwnerScope,
  withoutOwner,
} from '../../src/core/queue/owner.ts';
import {
  compareQueueItems,
  type HandedTexts,
  type ItemChange,
  type QueueItem,
  type QueueItemHead,
  type QueueStore,
  type SettledItems,
} from '../../src/core/queue/queue-item.ts';
import { type RecordingRecord, withHanded } from '../../src/core/recordings/recording-record.ts';
import type { IndexedDbJournal } from './indexed-db-journal.ts';
import { allHeads, audioKey, headKey } from './queue-records.ts';
import { recordKey } from './recording-records.ts';
import type { Database } from './reopening-database.ts';
import { isFull } from './storage-error.ts';

/** Head and audio apart, so that lists and state changes never touch the audio. */
function putItem(queue: IDBObjectStore, { audio, ...head }: QueueItem, owner: Owner): void {
  queue.put({ ...head, owner }, headKey(head.id));
  queue.put(audio, audioKey(head.id));
}

function deleteItem(queue: IDBObjectStore, id: string): void {
  queue.delete(headKey(id));
  queue.delete(audioKey(id));
}

/** Does nothing if the item is gone, or further than the change says. */
async function changeHead(queue: IDBObjectStore, id: string, change: ItemChange): Promise<void> {
  const head = await promisifyRequest<QueueItemHead | undefined>(queue.get(headKey(id)));
  if (head !== undefined) queue.put(withChange(head, change), headKey(id));
}

async function noteTexts(
  recordings: IDBObjectStore,
  handed: HandedTexts,
  owner: Owner,
): Promise<void> {
  const key = recordKey(handed.sessionId);
  const found = await promisifyRequest<Owned<RecordingRecord> | undefined>(recordings.get(key));
  const record = withHanded(found, handed);
  if (record) recordings.put({ owner, ...record }, key);
}

/**
 * Makes the queue store on IndexedDB. Every method is one transaction and rejects with
 * `storage-failed`. The journal gives up what the queue has: it must have it for good, so its
 * writes are strict. `spareOthers`, on a full disk: gives up what can be spared elsewhere; true if
 * anything was. `scope`: what is put is theirs, and what is listed.
 */
export function createIndexedDbQueueStore(
  database: Database,
  journal: Pick<IndexedDbJournal, 'cutWith' | 'removeWith'>,
  spareOthers: () => Promise<boolean> = async () => false,
  scope: OwnerScope = createOwnerScope(NO_OWNER),
): QueueStore {
  async function withRoom(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (thrown) {
      if (!isFull(thrown) || !(await spareOthers())) throw thrown;
      await write();
    }
  }

  const write = (work: (queue: IDBObjectStore) => void | Promise<void>): Promise<void> =>
    withRoom(() => database.write(['queue'], 'strict', work));

  async function settleAll(
    { gone, doubted, texts }: SettledItems,
    endedSessionId: string | null,
  ): Promise<void> {
    const settle = async (queue: IDBObjectStore, recordings: IDBObjectStore): Promise<void> => {
      for (const id of gone) deleteItem(queue, id);
      const changes = [...doubted].map(([id, state]) => changeHead(queue, id, { state }));
      await Promise.all([
        ...changes,
        ...texts.map((handed) => noteTexts(recordings, handed, scope.owner)),
      ]);
    };
    if (endedSessionId === null) {
      await withRoom(() => database.write(['queue', 'recordings'], 'strict', settle));
    } else await journal.removeWith(endedSessionId, settle);
  }

  return {
    async put(items, cut, formerIds = []) {
      const putAll = (queue: IDBObjectStore): void => {
        for (const id of formerIds) deleteItem(queue, id);
        for (const item of items) putItem(queue, item, scope.owner);
      };
      if (cut) await journal.cutWith(cut, putAll);
      else await write(putAll);
    },
    update: (id, change) => write((queue) => changeHead(queue, id, change)),
    get: (id) =>
      database.read(['queue'], async (queue) => {
        const [head, audio] = await Promise.all([
          promisifyRequest<Owned<QueueItemHead> | undefined>(queue.get(headKey(id))),
          promisifyRequest<EncodedAudio | undefined>(queue.get(audioKey(id))),
        ]);
        if (head === undefined || audio === undefined) return undefined;
        return { ...withoutOwner(head), audio };
      }),
    async list() {
      const heads = await database.read(['queue'], (queue) =>
        promisifyRequest<Owned<QueueItemHead>[]>(queue.getAll(allHeads())),
      );
      return heads.filter(scope.has).map(withoutOwner).sort(compareQueueItems);
    },
    remove: (id) => write((queue) => deleteItem(queue, id)),
    async settle(settled, endedSessionId) {
      const { gone, doubted, texts } = settled;
      try {
        await settleAll(settled, endedSessionId);
        return [];
      } catch (thrown) {
        const isMore = gone.length + doubted.size > 0 || endedSessionId !== null;
        if (!isFull(thrown) || texts.length === 0 || !isMore) throw thrown;
        await settleAll({ ...settled, texts: [] }, endedSessionId);
        return texts;
      }
    },
  };
}
