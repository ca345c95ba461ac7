import { promisifyRequest } from 'idb-keyval';
import type { SoundPackets } from '../../src/core/audio/audio-types.ts';
import { rangeSamples } from '../../src/core/audio/sample-range.ts';
import {
  createOwnerScope,
  NO_OWNER,
  type Owned,
  type OwnerScope,
  withoutOwner,
} from '../../src/core/queue/owner.ts';
import type { QueueItemHead } from '../../src/core/queue/queue-item.ts';
import { newRecord, type RecordingRecord } from '../../src/core/recordings/recording-record.ts';
import type { RecordingStore } from '../../src/core/recordings/recording-store.ts';
import { recordsOf, sessionOf } from './journal-records.ts';
import { allHeads } from './queue-records.ts';
import { allRecords, rangeOf, recordKey, stretchesOf, stretchKey } from './recording-records.ts';
import type { Database } from './reopening-database.ts';

/**
 * Makes the recordings' store on IndexedDB. Written seldom, so all writes are strict. `scope`: what
 * is put is theirs, and what is listed.
 */
export function createIndexedDbRecordingStore(
  database: Database,
  scope: OwnerScope = createOwnerScope(NO_OWNER),
): RecordingStore {
  const write = <T>(work: (recordings: IDBObjectStore) => Promise<T>): Promise<T> =>
    database.write(['recordings'], 'strict', work);

  const recordOf = (
    recordings: IDBObjectStore,
    id: string,
  ): Promise<Owned<RecordingRecord> | undefined> => promisifyRequest(recordings.get(recordKey(id)));

  return {
    putStretch: (start, { packets, ...range }) =>
      write(async (recordings) => {
        const key = stretchKey(start.id, range);
        const [found, replaced] = await Promise.all([
          recordOf(recordings, start.id),
          promisifyRequest<SoundPackets | undefined>(recordings.get(key)),
        ]);
        const record = found ?? { ...newRecord(start), owner: scope.owner };
        // After a failure the same may be asked for again.
        const durationSamples = record.durationSamples + (replaced ? 0 : rangeSamples(range));
        const bytes = record.bytes + packets.bytes.byteLength - (replaced?.bytes.byteLength ?? 0);
        recordings.put({ ...record, durationSamples, bytes }, recordKey(start.id));
        recordings.put(packets, key);
      }),
    change: (id, change) =>
      write(async (recordings) => {
        const found = await recordOf(recordings, id);
        if (!found) return undefined;
        const { owner } = found;
        const record = withoutOwner(found);
        const changed = change(record);
        const stored = owner ? { ...changed, owner } : changed;
        if (changed !== record) recordings.put(stored, recordKey(id));
        return changed;
      }),
    async get(id) {
      const found = await database.read(['recordings'], (recordings) => recordOf(recordings, id));
      return found && withoutOwner(found);
    },
    async list() {
      const records = await database.read(['recordings'], (recordings) =>
        promisifyRequest<Owned<RecordingRecord>[]>(recordings.getAll(allRecords())),
      );
      return records
        .filter(scope.has)
        .map(withoutOwner)
        .sort((a, b) => a.startedAtMs - b.startedAtMs);
    },
    listOthers: () =>
      database.read(['recordings', 'queue', 'journal'], async (recordings, queue, journal) => {
        const [records, heads, sessions] = await Promise.all([
          promisifyRequest<Owned<RecordingRecord>[]>(recordings.getAll(allRecords())),
          promisifyRequest<QueueItemHead[]>(queue.getAll(allHeads())),
          promisifyRequest(journal.getAllKeys(recordsOf('header'))),
        ]);
        const waiting = new Set([
          ...heads.map(({ sessionId }) => sessionId),
          ...sessions.map(sessionOf),
        ]);
        return records
          .filter((record) => !scope.has(record) && !waiting.has(record.id))
          .map(withoutOwner);
      }),
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
