import { randomUUID } from 'node:crypto';
import type { Admitted } from '../scheduling/admission.ts';

/** The audio that has come and was not committed yet. */
export type OpenItem = ReturnType<typeof createOpenItem>;

/** Small pieces are joined at this size: each costs memory beside its bytes. */
const JOINED_BYTES = 256 * 1024;

/** Makes an empty item, whose bytes count with `admitted`. */
export function createOpenItem(admitted: Admitted) {
  const joined: Uint8Array[] = [];
  let recent: Uint8Array[] = [];
  let recentBytes = 0;
  let bytes = 0;
  return {
    /** Its name in events. */
    id: `item_${randomUUID().replaceAll('-', '')}`,
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

const HEADER_BYTES = 44;

/** A wave file (RIFF) of 16-bit mono samples as they came, at `rateHz`. */
function pcmWave(chunks: readonly Uint8Array[], rateHz: number): Uint8Array {
  const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
  // Half a sample at the end says nothing.
  const dataBytes = bytes - (bytes % 2);
  const file = Buffer.alloc(HEADER_BYTES + bytes);
  file.write('RIFF', 0, 'ascii');
  file.writeUInt32LE(HEADER_BYTES - 8 + dataBytes, 4);
  file.write('WAVEfmt ', 8, 'ascii');
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(rateHz, 24);
  file.writeUInt32LE(2 * rateHz, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36, 'ascii');
  file.writeUInt32LE(dataBytes, 40);
  let at = HEADER_BYTES;
  for (const chunk of chunks) {
    file.set(chunk, at);
    at += chunk.length;
  }
  return file.subarray(0, HEADER_BYTES + dataBytes);
}
