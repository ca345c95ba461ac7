import { promisifyRequest } from 'idb-keyval';
import type { SoundPackets } from '../../src/core/audio/audio-types.ts';
import { rangeSamples } from '../../src/core/audio/sample-range.ts';
import { createOwnerScope, NO_OWNER, type OwnerScope } from '../../src/core/queue/owner.ts';
import type { QueueItemHead } from '../../src/core/queue/queue-item.ts';
import { newRecord, type RecordingRecord } from '../../src/core/recordings/recording-record.ts';
import type { RecordingStore } from '../../src/core/recordings/recording-store.ts';
import { audioOf, changeRow, rangeKey, rangeOf, recordOf, rowOf, withRecord } from './records.ts';
import type { Database } from './reopening-database.ts';

/**
 * Makes the recordings' store on IndexedDB. Written seldom, so all writes are strict. `scope`: what
 * is put is theirs, and what is listed.
 */
export function createIndexedDbRecordingStore(
  database: Database,
  scope: OwnerScope = createOwnerScope(NO_OWNER),
): RecordingStore {
  const recordsIn = (rows: readonly unknown[]): readonly RecordingRecord[] =>
    rows.flatMap((row) => recordOf(row) ?? []);

  return {
    putStretch: (start, { packets, ...range }) =>
      database.write(['dictations', 'audio'], 'strict', async (dictations, audio) => {
        const key = rangeKey('block', start.id, range);
        const replaced = await promisifyRequest<SoundPackets | undefined>(audio.get(key));
        await changeRow(dictations, start.id, (row) => {
          const record = recordOf(row) ?? newRecord(start);
          // After a failure the same may be asked for again.
          const durationSamples = record.durationSamples + (replaced ? 0 : rangeSamples(range));
          const bytes = record.bytes + packets.bytes.byteLength - (replaced?.bytes.byteLength ?? 0);
          return withRecord(row, { ...record, durationSamples, bytes }, scope.owner);
        });
        audio.put(packets, key);
      }),
    change: (id, change) =>
      database.write(['dictations'], 'strict', async (dictations) => {
        let changed: RecordingRecord | undefined;
        await changeRow(dictations, id, (row) => {
          const record = recordOf(row);
          if (!row || !record) return row ?? null;
          changed = change(record);
          return withRecord(row, changed, row.owner);
        });
        return changed;
      }),
    get: (id) =>
      database.read(['dictations'], async (dictations) =>
        recordOf(await promisifyRequest<unknown>(dictations.get(id))),
      ),
    async list() {
      const rows = await database.read(['dictations'], (dictations) =>
        promisifyRequest<unknown[]>(dictations.getAll()),
      );
      return [...recordsIn(rows.filter(scope.has))].sort((a, b) => a.startedAtMs - b.startedAtMs);
    },
    listOthers: () =>
      database.read(['dictations', 'chunks'], async (dictations, chunks) => {
        const [rows, heads] = await Promise.all([
          promisifyRequest<unknown[]>(dictations.getAll()),
          promisifyRequest<QueueItemHead[]>(chunks.getAll()),
        ]);
        const waiting = new Set(heads.map(({ sessionId }) => sessionId));
        const others = rows.filter((row) => !scope.has(row) && !rowOf(row)?.journal);
        return recordsIn(others).filter(({ id }) => !waiting.has(id));
      }),
    ranges: (id) =>
      database.read(['audio'], async (audio) => {
        const keys = await promisifyRequest(audio.getAllKeys(audioOf('block', id)));
        return keys.flatMap((key) => rangeOf(key, 'block') ?? []);
      }),
    stretches: (id) =>
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
    remove: (id, isToGo) =>
      database.write(['dictations', 'audio'], 'strict', async (dictations, audio) => {
        let isGone = true;
        await changeRow(dictations, id, (row) => {
          const record = recordOf(row);
          if (!row || !record) return row ?? null;
          isGone = isToGo(record);
          return isGone ? { ...row, retained: null } : row;
        });
        if (isGone) audio.delete(audioOf('block', id));
        return isGone;
      }),
  };
}
