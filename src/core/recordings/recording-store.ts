import type { SampleRange } from '../audio/audio-format.ts';
import type { SoundPackets } from '../audio/audio-types.ts';
import type { RecordingRecord, RecordingStart } from './recording-record.ts';

/** Sound of a recording, encoded at once. */
export type Stretch = SampleRange & { readonly packets: SoundPackets };

/**
 * Where recordings are kept. Each call is one transaction, has happened when its promise is
 * fulfilled, and rejects with `storage-failed` if nothing of it has.
 */
export type RecordingStore = {
  /**
   * Adds sound, and the recording itself if this is its first. On the disk itself when it is
   * fulfilled: the journal gives up what it was made of.
   */
  putStretch(start: RecordingStart, stretch: Stretch): Promise<void>;
  /** Changes what stands beside the sound; gives what stands there now, undefined if it is gone. */
  change(
    id: string,
    change: (record: RecordingRecord) => RecordingRecord,
  ): Promise<RecordingRecord | undefined>;
  get(id: string): Promise<RecordingRecord | undefined>;
  /** Those of the person who is here, oldest first. */
  list(): Promise<readonly RecordingRecord[]>;
  /** Those of others that wait for nothing: their time ends as well. */
  listOthers(): Promise<readonly RecordingRecord[]>;
  /** Which of its sound is kept, in order. */
  ranges(id: string): Promise<readonly SampleRange[]>;
  /** Its sound, in order. */
  stretches(id: string): Promise<readonly Stretch[]>;
  /** Deletes a recording if it is still as is asked; true if it is gone. */
  remove(id: string, isToGo: (record: RecordingRecord) => boolean): Promise<boolean>;
};
