import type { SampleRange } from '../../src/core/audio/sample-range.ts';
import { JOURNAL_RECORD_KINDS, pcmRangeOf, recordsOf } from './journal-records.ts';

/** Whether a frame lies wholly inside one of the ranges. */
export function isWithin(frame: SampleRange | undefined, ranges: readonly SampleRange[]): boolean {
  return (
    frame !== undefined &&
    ranges.some(
      ({ startSample, endSample }) =>
        frame.startSample >= startSample && frame.endSample <= endSample,
    )
  );
}

/** Deletes, inside a transaction, the frames that lie wholly inside the ranges; reads keys only. */
export function eraseFrames(
  store: IDBObjectStore,
  sessionId: string,
  ranges: readonly SampleRange[],
): void {
  for (const range of ranges) {
    const request = store.getAllKeys(
      IDBKeyRange.bound(['pcm', sessionId, range.startSample], ['pcm', sessionId, range.endSample]),
    );
    request.onsuccess = () => {
      const keys = request.result;
      // Frames begin inside the range; only the last can reach beyond it.
      const outside = keys.findIndex((key) => !isWithin(pcmRangeOf(key), [range]));
      const last = outside < 0 ? keys.length : outside;
      if (last > 0) store.delete(IDBKeyRange.bound(keys[0], keys[last - 1]));
    };
  }
}

/** Deletes, inside a transaction, a session's marks before a sample. */
export function eraseMarks(store: IDBObjectStore, sessionId: string, beforeSample: number): void {
  store.delete(IDBKeyRange.bound(['mark', sessionId], ['mark', sessionId, beforeSample]));
}

/** Deletes, inside a transaction, all that is kept of a session. */
export function eraseSession(store: IDBObjectStore, sessionId: string): void {
  for (const kind of JOURNAL_RECORD_KINDS) store.delete(recordsOf(kind, sessionId));
}
