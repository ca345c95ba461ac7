import { promisifyRequest } from 'idb-keyval';
import type { EncodedAudio } from '../../src/core/audio/audio-types.ts';
import {
  createOwnerScope,
  NO_OWNER,
  type Owned,
  type Owner,
  type OwnerScope,
} from '../../src/core/queue/owner.ts';
import {
  compareQueueItems,
  type Delivery,
  type DictationCut,
  deliveredText,
  type ItemChange,
  isClosed,
  type QueueItem,
  type QueueItemHead,
  withChange,
  wordsOf,
} from '../../src/core/queue/queue-item.ts';
import { newRecord } from '../../src/core/recordings/recording-record.ts';
import { type Database, isFull } from './database.ts';
import type { Journal, TableWork } from './journal.ts';
import {
  type ChunkRow,
  changeRow,
  chunkKey,
  chunkRow,
  closed,
  deleteItem,
  fileKey,
  giveUpChunk,
  headOf,
  OPEN_CHUNKS,
  recordOf,
  rowOf,
  TABLES,
  withRecord,
} from './records.ts';

/**
 * Gives dictations made before anybody had signed in to the first who does: from then on nobody
 * else's. Rejects with `storage-failed`.
 */
export async function claimUnowned(database: Database, { owner }: OwnerScope): Promise<void> {
  if (owner.account === null) return;
  const isUnclaimed = (record: Owned<object> | undefined) =>
    record?.owner?.account === null && record.owner.address === owner.address;
  await database.write(['dictations', 'chunks'], 'strict', async (...tables) => {
    await Promise.all(
      tables.map(async (store) => {
        const [keys, values] = await Promise.all([
          promisifyRequest(store.getAllKeys()),
          promisifyRequest<Owned<object>[]>(store.getAll()),
        ]);
        for (const [at, key] of keys.entries()) {
          if (isUnclaimed(values[at])) store.put({ ...values[at], owner }, key);
        }
      }),
    );
  });
}

/** Under which accounts something waits for an address. Rejects with `storage-failed`. */
export async function accountsAt(
  database: Database,
  address: string,
): Promise<ReadonlySet<string | null>> {
  const heads = await database.read(['chunks'], (chunks) =>
    promisifyRequest<Owned<object>[]>(chunks.index(OPEN_CHUNKS).getAll()),
  );
  const owners = heads.map(({ owner }) => owner ?? { ...NO_OWNER, address });
  return new Set(owners.filter((owner) => owner.address === address).map(({ account }) => account));
}

function rowIn(chunks: IDBObjectStore, id: string): Promise<ChunkRow | undefined> {
  return promisifyRequest<ChunkRow | undefined>(chunks.get(chunkKey(id)));
}

/** Does nothing if the item is gone, or further than the change says. */
async function changeHead(chunks: IDBObjectStore, id: string, change: ItemChange): Promise<void> {
  const row = await rowIn(chunks, id);
  if (row) chunks.put(chunkRow(withChange(headOf(row), change), row.owner), chunkKey(id));
}

/**
 * Merges a delivered chunk with the stored one; null leaves that as it is. A longer stored chunk
 * was cut again meanwhile, and is another one. A chunk that a person has transcribed again keeps
 * this text until the new one comes.
 */
function merged(found: QueueItemHead | undefined, told: QueueItemHead): QueueItemHead | null {
  if (!found) return closed(told);
  if (found.durationSamples > told.durationSamples) return null;
  if (found.asks > told.asks) {
    const text = deliveredText(told);
    return text && { ...found, former: wordsOf(text) };
  }
  const { state, asks, former } = told;
  return withChange(found, { state, asks, ...(former ? { former } : {}) });
}

/** The text of a chunk stays with a retained dictation; its audio, if it may not be all. */
function putDelivered(
  head: QueueItemHead,
  owner: Owner,
  isRetained: boolean,
  chunks: IDBObjectStore,
  audio: IDBObjectStore,
): void {
  const isOver = isClosed(head.state);
  if (isOver) deleteItem(chunks, audio, head.id);
  if (isRetained || !isOver) chunks.put(chunkRow(head, owner), chunkKey(head.id));
}

/** Where queued chunks are kept, beside the journal of their dictation. */
export type ChunkStore = ReturnType<typeof createChunkStore>;

/**
 * Makes the queue store on IndexedDB. Every method is one transaction and rejects with
 * `storage-failed`. The journal gives up what the queue has: it must have it for good, so its
 * writes are strict. `spareOthers`, on a full disk: gives up what can be spared elsewhere; true if
 * anything was. `scope`: what is put is theirs, and what is listed.
 */
export function createChunkStore(
  database: Database,
  journal: Pick<Journal, 'cutWith' | 'removeWith'>,
  spareOthers: () => Promise<boolean> = async () => false,
  scope: OwnerScope = createOwnerScope(NO_OWNER),
) {
  async function withRoom(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (thrown) {
      if (!isFull(thrown) || !(await spareOthers())) throw thrown;
      await write();
    }
  }

  const write = (work: TableWork): Promise<void> =>
    withRoom(() => database.write(TABLES, 'strict', work));

  /** True if the dictation is retained: then its texts are. */
  async function noteDelivery(dictations: IDBObjectStore, delivery: Delivery): Promise<boolean> {
    const { dictationId, start, atMs: deliveredAtMs } = delivery;
    let isRetained = false;
    await changeRow(dictations, dictationId, (row) => {
      const record = recordOf(row, []) ?? (start && newRecord(start));
      if (!record || deliveredAtMs === null) return row ?? null;
      isRetained = true;
      return withRecord(row, { ...record, deliveredAtMs }, scope.owner);
    });
    return isRetained;
  }

  const marking =
    (delivery: Delivery): TableWork =>
    async (dictations, chunks, audio) => {
      const isRetained = await noteDelivery(dictations, delivery);
      for (const told of delivery.chunks) {
        const row = await rowIn(chunks, told.id);
        const head = merged(row && headOf(row), told);
        if (head) putDelivered(head, row?.owner ?? scope.owner, isRetained, chunks, audio);
      }
    };

  const markWith = ({ dictationId, isOver }: Delivery, work: TableWork): Promise<void> =>
    isOver ? journal.removeWith(dictationId, work) : write(work);

  return {
    /**
     * Adds a chunk, or replaces the one with its id, unless that is as long and its text alone is
     * left: false then. `cut`: the dictation's journal is cut behind it in the same step, and gives
     * up the audio before.
     */
    async put({ audio: file, ...head }: QueueItem, cut?: DictationCut | null): Promise<boolean> {
      let isPut = true;
      const put: TableWork = async (_dictations, chunks, audio) => {
        const row = await rowIn(chunks, head.id);
        // A recovery that did not know that it is delivered has cut it anew.
        isPut = !row || !isClosed(row.state) || row.durationSamples < head.durationSamples;
        if (!isPut) return;
        chunks.put(chunkRow(head, scope.owner), chunkKey(head.id));
        audio.put(file, fileKey(head.id));
      };
      if (cut) await journal.cutWith(cut, put);
      else await write(put);
      return isPut;
    },
    /**
     * Cuts a journal behind a chunk that is stored already, or (`goneId`) that is to be nowhere.
     */
    cut: (cut: DictationCut, goneId: string | null): Promise<void> =>
      journal.cutWith(cut, async (_dictations, chunks, audio) => {
        if (goneId === null) return;
        const row = await rowIn(chunks, goneId);
        if (!row || !isClosed(row.state)) deleteItem(chunks, audio, goneId);
      }),
    /**
     * Changes a chunk, but not its audio; does nothing if the chunk is gone, or has come further
     * meanwhile (`withChange`).
     */
    update: (id: string, change: ItemChange): Promise<void> =>
      withRoom(() =>
        database.write(['chunks'], 'strict', (chunks) => changeHead(chunks, id, change)),
      ),
    get: (id: string): Promise<QueueItem | undefined> =>
      database.read(['chunks', 'audio'], async (chunks, audio) => {
        const [row, file] = await Promise.all([
          rowIn(chunks, id),
          promisifyRequest<EncodedAudio | undefined>(audio.get(fileKey(id))),
        ]);
        return row && file && { ...headOf(row), audio: file };
      }),
    /**
     * All items but those of which the text alone is left, oldest first: by creation, then number.
     */
    async list(): Promise<readonly QueueItemHead[]> {
      const rows = await database.read(['chunks'], (chunks) =>
        promisifyRequest<ChunkRow[]>(chunks.index(OPEN_CHUNKS).getAll()),
      );
      return rows.filter(scope.has).map(headOf).sort(compareQueueItems);
    },
    /**
     * Throws an item away; of a text that is in the user's hands a retained dictation keeps that.
     */
    remove: (id: string): Promise<void> =>
      write(async (dictations, chunks, audio) => {
        const row = await rowIn(chunks, id);
        if (!row) return deleteItem(chunks, audio, id);
        const dictation = rowOf(await promisifyRequest(dictations.get(row.dictationId)));
        giveUpChunk(chunks, audio, row, Boolean(dictation?.retained));
      }),
    /**
     * Notes that texts are in the user's hands. Gives what a full disk has no room for: those
     * chunks are gone, and their texts are to be noted when there is room.
     */
    async markDelivered(delivery: Delivery): Promise<Delivery | null> {
      try {
        await markWith(delivery, marking(delivery));
        return null;
      } catch (thrown) {
        const goneIds = delivery.chunks.filter(({ state }) => isClosed(state));
        if (!isFull(thrown) || goneIds.length === 0) throw thrown;
        await markWith(delivery, (_dictations, chunks, audio) => {
          for (const { id } of goneIds) deleteItem(chunks, audio, id);
        });
        return { ...delivery, isOver: false };
      }
    },
  };
}
