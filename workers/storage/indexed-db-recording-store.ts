import { promisifyRequest } from 'idb-keyval';
import type { SoundPackets } from '../../src/core/audio/audio-types.ts';
import { rangeSamples } from '../../src/core/audio/sample-range.ts';
import { newRecord, type RecordingRecord } from '../../src/core/recordings/recording-record.ts';
import type { RecordingStore } from '../../src/core/recordings/recording-store.ts';
import { allRecords, rangeOf, recordKey, stretchesOf, stretchKey } from './recording-records.ts';
import type { Database } from './reopening-database.ts';

/** Makes the recordings' store on IndexedDB. Written seldom, so all writes are strict. */
export function createIndexedDbRecordingStore(database: Database): RecordingStore {
  const write = <T>(work: (recordings: IDBObjectStore) => Promise<T>): Promise<T> =>
    database.write(['recordings'], 'strict', work);

  const recordOf = (recordings: IDBObjectStore, id: string): Promise<RecordingRecord | undefined> =>
    promisifyRequest(recordings.get(recordKey(id)));

  return {
    putStretch: (start, { packets, ...range }) =>
      write(async (recordings) => {
        const key = stretchKey(start.id, range);
        const [found, replaced] = await Promise.all([
          recordOf(recordings, start.id),
          promisifyRequest<SoundPackets | undefined>(recordings.get(key)),
        ]);
        const record = found ?? newRecord(start);
        // After a failure the same may be asked for again.
        const durationSamples = record.durationSamples + (replaced ? 0 : rangeSamples(range));
        const bytes = record.bytes + packets.bytes.byteLength - (replaced?.bytes.byteLength ?? 0);
        recordings.put({ ...record, durationSamples, bytes }, recordKey(start.id));
        recordings.put(packets, key);
      }),
    change: (id, change) =>
      write(async (recordings) => {
        const record = await recordOf(recordings, id);
        if (!record) return undefined;
        const changed = change(record);
        if (changed !== record) recordings.put(changed, recordKey(id));
        return changed;
      }),
    get: (id) => database.read(['recordings'], (recordings) => recordOf(recordings, id)),
    async list() {
      const records = await database.read(['recordings'], (recordings) =>
        promisifyRequest<RecordingRecord[]>(recordings.getAll(allRecords())),
      );
      return records.sort((a, b) => a.startedAtMs - b.startedAtMs);
    },
    ranges: (id) =>
      database.read(['recordings'], async (recordings) => {
        const keys = await promisifyRequest(recordings.getAllKeys(stretchesOf(id)));
        return keys.map(rangeOf);
      }),
    stretches: (id) =>
      database.read(['recordings'], async (recordings) => {
        const [keys, sounds] = await Promise.all([
          promisifyRequest(recordings.getAllKeys(stretchesOf(id))),
          promisifyRequest<SoundPackets[]>(recordings.getAll(stretchesOf(id))),
        ]);
        return keys.flatMap((key, index) => {
          const packets = sounds[index];
          return packets ? [{ ...rangeOf(key), packets }] : [];
        });
      }),
    remove: (id, isToGo) =>
      write(async (recordings) => {
        const record = await recordOf(recordings, id);
        if (!record) return true;
        if (!isToGo(record)) return false;
        recordings.delete(recordKey(id));
        recordings.delete(stretchesOf(id));
        return true;
      }),
  };
}
