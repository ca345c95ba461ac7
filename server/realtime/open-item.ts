import type { Admitted } from '../scheduling/admission.ts';
import { pcmWave } from './pcm-wave.ts';

/** The audio that has come and was not committed yet. */
export type OpenItem = ReturnType<typeof createOpenItem>;

/** What many small pieces cost beside their bytes is kept out of memory by joining them. */
const JOINED_BYTES = 256 * 1024;

/** Makes an empty item, whose bytes count with `admitted`. */
export function createOpenItem(admitted: Admitted) {
  const joined: Uint8Array[] = [];
  let recent: Uint8Array[] = [];
  let recentBytes = 0;
  let bytes = 0;
  return {
    /** Takes audio in; throws what the count of uploads throws when there is no room. */
    append(audio: Uint8Array) {
      admitted.take(audio.length);
      recent.push(audio);
      recentBytes += audio.length;
      bytes += audio.length;
      if (recentBytes < JOINED_BYTES && recent.length < 1_000) return;
      joined.push(Buffer.concat(recent));
      recent = [];
      recentBytes = 0;
    },
    get bytes(): number {
      return bytes;
    },
    /** The item as a wave file. */
    wave: (rateHz: number): Uint8Array => pcmWave([...joined, ...recent], rateHz),
    /** Gives its memory back. */
    leave: () => admitted.leave(),
  };
}
