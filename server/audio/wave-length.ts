const RIFF_HEADER_BYTES = 8;

/** Sizes writers put there when they cannot go back to fill in the real one. */
const UNKNOWN_SIZES = new Set([0, 0xffff_ffff]);

/** Whether a wave file is shorter than its header says: the end of the recording is missing. */
export function isWaveCutShort(file: Uint8Array): boolean {
  if (file.length < RIFF_HEADER_BYTES) return true;
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const isLittleEndian = file[3] === 'F'.charCodeAt(0);
  const declaredBytes = view.getUint32(4, isLittleEndian);
  if (UNKNOWN_SIZES.has(declaredBytes)) return false;
  // A missing pad byte at the end is common and loses nothing.
  return declaredBytes + RIFF_HEADER_BYTES > file.length + 1;
}
