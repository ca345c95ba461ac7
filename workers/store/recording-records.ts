import type { SampleRange } from '../../src/core/audio/sample-range.ts';

/** A recording without its sound: a `RecordingRecord`. */
export function recordKey(id: string): IDBValidKey {
  return ['record', id];
}

/** All of them: an array sorts after every string. */
export function allRecords(): IDBKeyRange {
  return IDBKeyRange.bound(['record'], ['record', []]);
}

/** Sound of a recording: `SoundPackets`. Its place stands in the key alone. */
export function stretchKey(id: string, { startSample, endSample }: SampleRange): IDBValidKey {
  return ['stretch', id, startSample, endSample];
}

/** All sound of a recording, in order. */
export function stretchesOf(id: string): IDBKeyRange {
  return IDBKeyRange.bound(['stretch', id], ['stretch', id, []]);
}

/** Which sound a key stands for. */
export function rangeOf(key: IDBValidKey): SampleRange {
  const [, , startSample, endSample] = Array.isArray(key) ? key : [];
  return { startSample: Number(startSample), endSample: Number(endSample) };
}
