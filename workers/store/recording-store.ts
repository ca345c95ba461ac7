import { promisifyRequest } from 'idb-keyval';
import { rangeSamples, type SampleRange } from '../../src/core/audio/audio-format.ts';
import type { SoundPackets } from '../../src/core/audio/audio-types.ts';
import { createOwnerScope, NO_OWNER, type OwnerScope } from '../../src/core/queue/owner.ts';
import { isClosed, type QueueItemHead } from '../../src/core/queue/queue-item.ts';
import {
  newRecord,
  type RecordingRecord,
  type RecordingStart,
} from '../../src/core/recordings/recording-record.ts';
import type { Database } from './database.ts';
import {
  audioOf,
  type ChunkRow,
  changeRow,
  chunkKey,
  chunksOf,
  giveUpChunk,
  OPEN_CHUNKS,
  rangeKey,
  rangeOf,
  recordOf,
  rowOf,
  TABLES,
  withRecord,
} from './records.ts';

/** Sound of a recording, encoded at once. */
export type Stretch = SampleRange & { readonly packets: SoundPackets };

/**
 * Where recordings are kept. Each call is one transaction, has happened when its promise is
 * fulfilled, and rejects with `storage-failed` if nothing of it has.
 */
export type RecordingStore = ReturnType<typeof createRecordingStore>;

/**
 * Makes the recordings' store on IndexedDB. Written seldom, so all writes are strict. `scope`: what
 * is put is theirs, and what is listed.
 */
export function createRecordingStore(
  database: Database,
  scope: OwnerScope = createOwnerScope(NO_OWNER),
) {
  const recordsIn = (
    rows: readonly unknown[],
    chunks: readonly QueueItemHead[],
  ): readonly RecordingRecord[] => {
    const own = new Map<string, QueueItemHead[]>();
    for (const chunk of chunks)
      own.set(chunk.dictationId, [...(own.get(chunk.dictationId) ?? []), chunk]);
    return rows.flatMap((row) => recordOf(row, own.get(rowOf(row)?.id ?? '') ?? []) ?? []);
  };

  const chunksIn = (chunks: IDBObjectStore, id: string): Promise<ChunkRow[]> =>
    promisifyRequest<ChunkRow[]>(chunks.getAll(chunksOf(id)));

  return {
    /**
     * Adds sound, and the recording itself if this is its first. On the disk itself when it is
     * fulfilled: the journal gives up what it was made of.
     */
    putStretch: (start: RecordingStart, { packets, ...range }: Stretch): Promise<void> =>
      database.write(['dictations', 'audio'], 'strict', async (dictations, audio) => {
        const key = rangeKey('block', start.id, range);
        const replaced = await promisifyRequest<SoundPackets | undefined>(audio.get(key));
        await changeRow(dictations, start.id, (row) => {
          const record = recordOf(row, []) ?? newRecord(start);
          // After a failure the same may be asked for again.
          const durationSamples = record.durationSamples + (replaced ? 0 : rangeSamples(range));
          const bytes = record.bytes + packets.bytes.byteLength - (replaced?.bytes.byteLength ?? 0);
          return withRecord(row, { ...record, durationSamples, bytes }, scope.owner);
        });
        audio.put(packets, key);
      }),
    /** Changes a recording, but not its sound; gives the new state, undefined if it is gone. */
    change: (
      id: string,
      change: (record: RecordingRecord) => RecordingRecord,
    ): Promise<RecordingRecord | undefined> =>
      database.write(TABLES, 'strict', async (dictations, chunks, audio) => {
        const own = await chunksIn(chunks, id);
        let changed: RecordingRecord | undefined;
        await changeRow(dictations, id, (row) => {
          const record = recordOf(row, own);
          if (!row || !record) return row ?? null;
          changed = change(record);
          return withRecord(row, changed, row.owner);
        });
        // Waiting chunks go into the bin with it, or a death in between would bring it back.
        if (changed?.isInBin) {
          const waiting = own.filter(({ state }) => !isClosed(state));
          for (const chunk of waiting) giveUpChunk(chunks, audio, chunk, true);
        }
        return changed;
      }),
    get: (id: string): Promise<RecordingRecord | undefined> =>
      database.read(['dictations', 'chunks'], async (dictations, chunks) => {
        const own = await chunksIn(chunks, id);
        return recordOf(await promisifyRequest<unknown>(dictations.get(id)), own);
      }),
    /** Those of the person who is here, oldest first. */
    async list(): Promise<readonly RecordingRecord[]> {
      const [rows, all] = await database.read(['dictations', 'chunks'], (dictations, chunks) =>
        Promise.all([
          promisifyRequest<unknown[]>(dictations.getAll()),
          promisifyRequest<QueueItemHead[]>(chunks.getAll()),
        ]),
      );
      const own = rows.filter(scope.has);
      return [...recordsIn(own, all)].sort((a, b) => a.startedAtMs - b.startedAtMs);
    },
    /** Those of others that wait for nothing: their time ends as well. */
    listOthers: (): Promise<readonly RecordingRecord[]> =>
      database.read(['dictations', 'chunks'], async (dictations, chunks) => {
        const [rows, heads] = await Promise.all([
          promisifyRequest<unknown[]>(dictations.getAll()),
          promisifyRequest<QueueItemHead[]>(chunks.index(OPEN_CHUNKS).getAll()),
        ]);
        const waiting = new Set(heads.map(({ dictationId }) => dictationId));
        const others = rows.filter((row) => !scope.has(row) && !rowOf(row)?.journal);
        return recordsIn(others, []).filter(({ id }) => !waiting.has(id));
      }),
    /** The ranges of its sound that are kept, in order. */
    ranges: (id: string): Promise<readonly SampleRange[]> =>
      database.read(['audio'], async (audio) => {
        const keys = await promisifyRequest(audio.getAllKeys(audioOf('block', id)));
        return keys.flatMap((key) => rangeOf(key, 'block') ?? []);
      }),
    /** Its sound, in order. */
    stretches: (id: string): Promise<readonly Stretch[]> =>
      database.read(['audio'], async (audio) => {
        const [keys, sounds] = await Promise.all([
          promisifyRequest(audio.getAllKeys(audioOf('block', id))),
          promisifyRequest<SoundPackets[]>(audio.getAll(audioOf('block', id))),
        ]);
        return keys.flatMap((key, index) => {
          const [range, packets] = [rangeOf(key, 'block'), sounds[index]];
          return range && packets ? [{ ...range, packets }] : [];
        });
      }),
    /** Deletes a recording if it is still as is asked; true if it is gone. */
    remove: (id: string, isToGo: (record: RecordingRecord) => boolean): Promise<boolean> =>
      database.write(TABLES, 'strict', async (dictations, chunks, audio) => {
        const own = await chunksIn(chunks, id);
        let isGone = true;
        await changeRow(dictations, id, (row) => {
          const record = recordOf(row, own);
          if (!row || !record) return row ?? null;
          isGone = isToGo(record);
          return isGone ? { ...row, retained: null } : row;
        });
        if (!isGone) return false;
        audio.delete(audioOf('block', id));
        // Chunks that wait, or need review, are still the queue's.
        const delivered = own.filter(({ state }) => isClosed(state));
        for (const chunk of delivered) chunks.delete(chunkKey(chunk.id));
        return true;
      }),
  };
}
