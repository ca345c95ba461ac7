/** Pieces of audio, one after the other. */
export function concatSamples(pieces: readonly Float32Array[]): Float32Array<ArrayBuffer> {
  const samples = new Float32Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    samples.set(piece, offset);
    offset += piece.length;
  }
  return samples;
}
