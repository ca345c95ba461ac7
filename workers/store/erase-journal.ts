import type { SampleRange } from '../../src/core/audio/sample-range.ts';
import { audioKey, audioOf, changeRow, rangeOf } from './records.ts';

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
  audio: IDBObjectStore,
  sessionId: string,
  ranges: readonly SampleRange[],
): void {
  for (const range of ranges) {
    const request = audio.getAllKeys(
      IDBKeyRange.bound(
        audioKey('pcm', sessionId, range.startSample),
        audioKey('pcm', sessionId, range.endSample),
      ),
    );
    request.onsuccess = () => {
      const keys = request.result;
      // Frames begin inside the range; only the last can reach beyond it.
      const outside = keys.findIndex((key) => !isWithin(rangeOf(key), [range]));
      const last = outside < 0 ? keys.length : outside;
      if (last > 0) audio.delete(IDBKeyRange.bound(keys[0], keys[last - 1]));
    };
  }
}

/** Deletes, inside a transaction, a session's marks before a sample. */
export function eraseMarks(audio: IDBObjectStore, sessionId: string, beforeSample: number): void {
  audio.delete(
    IDBKeyRange.bound(audioKey('mark', sessionId), audioKey('mark', sessionId, beforeSample)),
  );
}

/** Deletes, inside a transaction, all that a recovery would need of a session. */
export async function eraseSession(
  audio: IDBObjectStore,
  dictations: IDBObjectStore,
  sessionId: string,
): Promise<void> {
  for (const kind of ['pcm', 'mark', 'taken'] as const) audio.delete(audioOf(kind, sessionId));
  await changeRow(dictations, sessionId, (row) => (row ? { ...row, journal: null } : null));
}
