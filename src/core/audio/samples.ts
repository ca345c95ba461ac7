/** Full scale of 16-bit PCM: a sample of 1 would be this, and is clipped to one less. */
const FULL_SCALE = 32_768;

/** A sample from -1 to 1 as 16-bit PCM: rounded, clipped beyond; not a number stays that. */
export function toPcm16Value(sample: number): number {
  return Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, Math.round(sample * FULL_SCALE)));
}

/** 16-bit PCM of samples from -1 to 1, clipped beyond; not a number becomes silence. */
export function toPcm16(samples: Float32Array): Int16Array<ArrayBuffer> {
  const pcm = new Int16Array(samples.length);
  for (let index = 0; index < samples.length; index += 1) {
    pcm[index] = toPcm16Value(samples[index] ?? 0);
  }
  return pcm;
}

/** Writes 16-bit PCM as samples from -1 to 1 into `target`, beginning at `offset`. */
export function writeSamples(pcm: Int16Array, target: Float32Array, offset = 0): void {
  for (let index = 0; index < pcm.length; index += 1) {
    target[offset + index] = (pcm[index] ?? 0) / FULL_SCALE;
  }
}

/** Pieces of 16-bit PCM, one after the other. */
export function concatPcm16(pieces: readonly Int16Array[]): Int16Array<ArrayBuffer> {
  const pcm = new Int16Array(countSamples(pieces));
  let offset = 0;
  for (const piece of pieces) {
    pcm.set(piece, offset);
    offset += piece.length;
  }
  return pcm;
}

/** Pieces of 16-bit PCM, one after the other, as samples from -1 to 1. */
export function samplesOf(pieces: readonly Int16Array[]): Float32Array<ArrayBuffer> {
  const samples = new Float32Array(countSamples(pieces));
  let offset = 0;
  for (const piece of pieces) {
    writeSamples(piece, samples, offset);
    offset += piece.length;
  }
  return samples;
}

function countSamples(pieces: readonly Int16Array[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}

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

/**
 * Mixes all channels to mono by their mean, so that nothing said on one side of a stereo microphone
 * is left out and no sum can exceed full scale. No channels at all are silence, as in Web Audio.
 *
 * Writes `frames` samples to the start of `target`, taken from `from` on. Allocates nothing.
 */
export function downMix(
  channels: readonly Float32Array[],
  from: number,
  frames: number,
  target: Float32Array,
): void {
  const first = channels[0];
  if (first === undefined) {
    target.fill(0, 0, frames);
    return;
  }
  for (let i = 0; i < frames; i++) target[i] = first[from + i] ?? 0;
  if (channels.length === 1) return;
  for (let c = 1; c < channels.length; c++) addChannel(channels[c], from, frames, target);
  const share = 1 / channels.length;
  for (let i = 0; i < frames; i++) target[i] = (target[i] ?? 0) * share;
}

function addChannel(
  channel: Float32Array | undefined,
  from: number,
  frames: number,
  target: Float32Array,
): void {
  if (channel === undefined) return;
  for (let i = 0; i < frames; i++) target[i] = (target[i] ?? 0) + (channel[from + i] ?? 0);
}
