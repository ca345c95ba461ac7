import { corruptedAudio } from './decodable-audio.ts';

/** Counts what is decoded against what there is. */
export type ByteAccount = ReturnType<typeof createByteAccount>;

/**
 * An account of a file of `fileBytes`. An MP4's table can name the same bytes again and again, and
 * make minutes out of seconds. No recorder writes that, and every minute costs the engine.
 */
export function createByteAccount(fileBytes: number) {
  let left = fileBytes;
  return {
    /** Throws `audio_corrupted` when more than the whole file has been taken. */
    take(bytes: number) {
      left -= bytes;
      if (left < 0) throw corruptedAudio(new Error('it reads the same bytes again'));
    },
  };
}
