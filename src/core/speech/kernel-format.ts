/**
 * The file of the hand-written kernel: a WebAssembly module with the model's weights in a custom
 * section behind the code, so that both come in one piece and can't be mixed up. The build writes
 * it, the worker reads it.
 *
 * The section holds, little-endian: the header, `KERNEL_HEADER_WORDS` 32-bit words; the vectors
 * (biases and other few numbers) as floats; the matrices in 16 bits a weight, in two planes of
 * bytes (the low bytes of all, then the high ones, which compresses better), or as floats.
 */
export const KERNEL_SECTION = 'diktera.weights';

/** `DKW2`. */
export const KERNEL_MAGIC = 0x32_57_4b_44;

export const KERNEL_HEADER_WORDS = 5;

/** Bits of a matrix weight: 16 as shipped, or all 32, to measure against. */
export type KernelWeightBits = 16 | 32;

/** The header's words, in this order behind the magic. */
export type KernelHeader = {
  readonly bits: number;
  readonly matrixCount: number;
  readonly vectorCount: number;
  /** The checksum of everything behind the header. */
  readonly checksum: number;
};

/** The section's length in bytes. */
export function kernelSectionBytes(header: KernelHeader): number {
  const { bits, matrixCount, vectorCount } = header;
  return KERNEL_HEADER_WORDS * 4 + vectorCount * 4 + (matrixCount * bits) / 8;
}

/**
 * The start of a checksum, FNV-1a over 32-bit words
 * (http://www.isthe.com/chongo/tech/comp/fnv/), which finds a damaged file: as every step can be
 * undone, no single word can change without the result changing. The kernel computes it over its
 * weights (kernel/assembly/weights.ts).
 */
export const KERNEL_CHECKSUM_START = 0x81_1c_9d_c5;
