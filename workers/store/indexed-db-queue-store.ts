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
  type QueueItemHead,
  type QueueStore,
  type SettledItems,
} from '../../src/core/queue/queue-item.ts';
import { withHanded } from '../../src/core/recordings/recording-record.ts';
import type { IndexedDbJournal, TableWork } from './indexed-db-journal.ts';
import { changeRow, chunkKey, fileKey, recordOf, TABLES, withRecord } from './records.ts';
import type { Database } from './reopening-database.ts';
import { isFull } from './storage-error.ts';

function deleteItem(chunks: IDBObjectStore, audio: IDBObjectStore, id: string): void {
  chunks.delete(chunkKey(id));
  audio.delete(fileKey(id));
}

/** Does nothing if the item is gone, or further than the change says. */
async function changeHead(chunks: IDBObjectStore, id: string, change: ItemChange): Promise<void> {
  const head = await promisifyRequest<QueueItemHead | undefined>(chunks.get(chunkKey(id)));
  if (head !== undefined) chunks.put(withChange(head, change), chunkKey(id));
}

function noteTexts(dictations: IDBObjectStore, handed: HandedTexts, owner: Owner): Promise<void> {
  return changeRow(dictations, handed.sessionId, (row) => {
    const record = withHanded(recordOf(row), handed);
    return record ? withRecord(row, record, owner) : (row ?? null);
  });
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

  async function settleAll(
    { gone, doubted, texts }: SettledItems,
    endedSessionId: string | null,
  ): Promise<void> {
    const settle: TableWork = async (dictations, chunks, audio) => {
      for (const id of gone) deleteItem(chunks, audio, id);
      for (const [id, state] of doubted) await changeHead(chunks, id, { state });
      for (const handed of texts) await noteTexts(dictations, handed, scope.owner);
    };
    if (endedSessionId === null) await withRoom(() => database.write(TABLES, 'strict', settle));
    else await journal.removeWith(endedSessionId, settle);
  }

  return {
    async put(items, cut, formerIds = []) {
      const putAll: TableWork = (_dictations, chunks, audio) => {
        for (const id of formerIds) deleteItem(chunks, audio, id);
        for (const { audio: file, ...head } of items) {
          chunks.put({ ...head, owner: scope.owner }, chunkKey(head.id));
          audio.put(file, fileKey(head.id));
        }
      };
      if (cut) await journal.cutWith(cut, putAll);
      else await withRoom(() => database.write(TABLES, 'strict', putAll));
    },
    update: (id, change) =>
      withRoom(() =>
        database.write(['chunks'], 'strict', (chunks) => changeHead(chunks, id, change)),
      ),
    get: (id) =>
      database.read(['chunks', 'audio'], async (chunks, audio) => {
        const [head, file] = await Promise.all([
          promisifyRequest<Owned<QueueItemHead> | undefined>(chunks.get(chunkKey(id))),
          promisifyRequest<EncodedAudio | undefined>(audio.get(fileKey(id))),
        ]);
        if (head === undefined || file === undefined) return undefined;
        return { ...withoutOwner(head), audio: file };
      }),
    async list() {
      const heads = await database.read(['chunks'], (chunks) =>
        promisifyRequest<Owned<QueueItemHead>[]>(chunks.getAll()),
      );
      return heads.filter(scope.has).map(withoutOwner).sort(compareQueueItems);
    },
    remove: (id) =>
      withRoom(() =>
        database.write(['chunks', 'audio'], 'strict', (chunks, audio) =>
          deleteItem(chunks, audio, id),
        ),
      ),
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
