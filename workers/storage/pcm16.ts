/** Full scale of 16-bit PCM: a sample of 1 would be this, and is clipped to one less. */
const FULL_SCALE = 32_768;

/** 16-bit PCM of samples from -1 to 1: rounded, clipped beyond; not a number becomes silence. */
export function toPcm16(samples: Float32Array): Int16Array<ArrayBuffer> {
  const pcm = new Int16Array(samples.length);
  for (let index = 0; index < samples.length; index += 1) {
    const value = Math.round((samples[index] ?? 0) * FULL_SCALE);
    pcm[index] = Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, value));
  }
  return pcm;
}

/** Writes 16-bit PCM as samples from -1 to 1 into `target`, beginning at `offset`. */
export function writePcm16(pcm: Int16Array, target: Float32Array, offset: number): void {
  for (let index = 0; index < pcm.length; index += 1) {
    target[offset + index] = (pcm[index] ?? 0) / FULL_SCALE;
  }
}
