import { rangeSamples } from '../../src/core/audio/audio-format.ts';
import { type Delivery, deliveredText } from '../../src/core/queue/queue-item.ts';
import { newRecord, type RecordingRecord } from '../../src/core/recordings/recording-record.ts';
import type { RecordingStore, Stretch } from '../../workers/store/recording-store.ts';

export type MemoryRecordingStore = RecordingStore & {
  /** What a queue's store does with it in its own step. */
  note(delivery: Delivery): void;
};

/** Recordings that live as long as the test. */
export function createMemoryRecordingStore(): MemoryRecordingStore {
  const records = new Map<string, RecordingRecord>();
  const sounds = new Map<string, readonly Stretch[]>();
  const stretchesOf = (id: string): readonly Stretch[] => sounds.get(id) ?? [];
  return {
    async putStretch(start, stretch) {
      const others = stretchesOf(start.id).filter((one) => one.startSample !== stretch.startSample);
      const all = [...others, stretch].sort((a, b) => a.startSample - b.startSample);
      sounds.set(start.id, all);
      records.set(start.id, {
        ...(records.get(start.id) ?? newRecord(start)),
        durationSamples: all.reduce((sum, one) => sum + rangeSamples(one), 0),
        bytes: all.reduce((sum, { packets }) => sum + packets.bytes.byteLength, 0),
      });
    },
    note({ dictationId, chunks, atMs, start }) {
      const record = records.get(dictationId) ?? (start && newRecord(start));
      if (!record || atMs === null) return;
      const news = chunks.flatMap((chunk) => deliveredText(chunk) ?? []);
      const others = record.texts.filter(
        ({ number }) => !news.some((one) => one.number === number),
      );
      records.set(dictationId, { ...record, deliveredAtMs: atMs, texts: [...others, ...news] });
    },
    async change(id, change) {
      const record = records.get(id);
      if (!record) return undefined;
      const changed = change(record);
      records.set(id, changed);
      return changed;
    },
    async get(id) {
      return records.get(id);
    },
    async list() {
      return [...records.values()].sort((a, b) => a.startedAtMs - b.startedAtMs);
    },
    listOthers: async () => [],
    async ranges(id) {
      return stretchesOf(id).map(({ startSample, endSample }) => ({ startSample, endSample }));
    },
    async stretches(id) {
      return stretchesOf(id);
    },
    async remove(id, isToGo) {
      const record = records.get(id);
      if (record && !isToGo(record)) return false;
      records.delete(id);
      sounds.delete(id);
      return true;
    },
  };
}
