const HEADER_BYTES = 44;

/** A wave file (RIFF) of 16-bit mono samples as they came, at `rateHz`. */
export function pcmWave(chunks: readonly Uint8Array[], rateHz: number): Uint8Array {
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
