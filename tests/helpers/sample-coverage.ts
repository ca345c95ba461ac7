import { SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';

const BYTES_PER_SAMPLE = 2;

/** Sound so long is looked for in the reference. */
const WINDOW_SAMPLES = SAMPLE_RATE_HZ / 20;

/** The samples of a recording that are in some pieces. */
export type Coverage = {
  /** The number of times that each sample of the reference occurs. */
  readonly times: Uint8Array;
  /** Samples that are nowhere in the reference. */
  readonly strangeSamples: number;
};

/**
 * Finds 16-bit PCM pieces in the recording that they were cut from, sample by sample. A piece may
 * leave out stretches of it; where the same sound comes again, the place that goes on alike for
 * longest is meant.
 */
export function coverageOf(reference: Int16Array, pieces: readonly Int16Array[]): Coverage {
  const times = new Uint8Array(reference.length);
  let strangeSamples = 0;
  for (const piece of pieces) {
    let rest = piece;
    while (rest.length > 0) {
      const { start, length } = longestRun(reference, rest);
      for (let at = start; at < start + length; at += 1) times[at] = (times[at] ?? 0) + 1;
      if (length === 0) strangeSamples += 1;
      rest = rest.subarray(Math.max(1, length));
    }
  }
  return { times, strangeSamples };
}

type Run = { readonly start: number; readonly length: number };

function longestRun(reference: Int16Array, piece: Int16Array): Run {
  const haystack = bytesOf(reference);
  const window = bytesOf(piece.subarray(0, WINDOW_SAMPLES));
  let best: Run = { start: 0, length: 0 };
  for (let byte = haystack.indexOf(window); byte >= 0; byte = haystack.indexOf(window, byte + 1)) {
    if (byte % BYTES_PER_SAMPLE > 0) continue;
    const start = byte / BYTES_PER_SAMPLE;
    const length = runLength(reference.subarray(start), piece);
    if (length > best.length) best = { start, length };
  }
  return best;
}

function runLength(one: Int16Array, other: Int16Array): number {
  let length = 0;
  while (length < other.length && one[length] === other[length]) length += 1;
  return length;
}

function bytesOf({ buffer, byteOffset, byteLength }: Int16Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
