/** The chunks in front of the sound are within it: a picture of a cover is behind. */
const HEAD_BYTES = 65_536;
const CHUNK_BYTES = 8;
/** More than any file has: all that follows is sound. */
const TO_THE_END = 0xffff_ffff;

/**
 * Gives a wave file whose sizes cannot be right those of a stream. Recorders write them last: of one that
 * broke off, or could not go back, they are 0 or those of its beginning, and nobody would hear the rest.
 */
export async function withWaveSizes(file: Blob): Promise<Blob> {
  const head = new DataView(await file.slice(0, HEAD_BYTES).arrayBuffer());
  if (nameAt(head, 0) !== 'RIFF' || nameAt(head, 8) !== 'WAVE') return file;
  for (let at = 12; at + CHUNK_BYTES <= head.byteLength; ) {
    const bytes = head.getUint32(at + 4, true);
    const start = at + CHUNK_BYTES;
    if (nameAt(head, at) === 'data') {
      const isWhole = head.getUint32(4, true) >= start && (await endsAt(file, start, bytes));
      if (isWhole) return file;
      head.setUint32(4, TO_THE_END, true);
      head.setUint32(at + 4, TO_THE_END, true);
      return new Blob([head.buffer.slice(0, start), file.slice(start)], { type: file.type });
    }
    at = start + bytes + (bytes % 2);
  }
  return file;
}

/** True if the sound goes to the end, or another chunk is behind it. */
async function endsAt(file: Blob, start: number, bytes: number): Promise<boolean> {
  if (start + bytes + CHUNK_BYTES >= file.size) return true;
  // Some leave the byte out that makes its length even.
  for (const end of [start + bytes + (bytes % 2), start + bytes]) {
    const next = new DataView(await file.slice(end, end + CHUNK_BYTES).arrayBuffer());
    if (next.byteLength < CHUNK_BYTES) return true;
    const isFitting = end + CHUNK_BYTES + next.getUint32(4, true) <= file.size + 1;
    if (bytes > 0 && isFitting && /^[\w ]{4}$/.test(nameAt(next, 0))) return true;
  }
  return false;
}

function nameAt(view: DataView, at: number): string {
  if (at + 4 > view.byteLength) return '';
  return String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset + at, 4));
}
