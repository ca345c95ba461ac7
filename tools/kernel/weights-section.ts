import {
  KERNEL_CHECKSUM_START,
  KERNEL_HEADER_WORDS,
  KERNEL_MAGIC,
  KERNEL_SECTION,
  type KernelHeader,
  type KernelWeightBits,
  kernelSectionBytes,
} from '../../src/core/speech/kernel-format.ts';
import type { KernelMatrix, KernelWeights } from './kernel-weights.ts';
import { toSmallFloat } from './small-float.ts';

/**
 * The kernel's code with its weights behind it: a file as src/core/speech/kernel-format.ts
 * describes it.
 */
export function withWeights(
  code: Uint8Array,
  weights: KernelWeights,
  bits: KernelWeightBits,
): Uint8Array {
  const section = weightsSection(weights, bits);
  const name = new TextEncoder().encode(KERNEL_SECTION);
  // A custom section: https://webassembly.github.io/spec/core/binary/modules.html#custom-section
  const content = [leb128(name.length), name, section];
  const length = content.reduce((sum, part) => sum + part.length, 0);
  return joined([code, Uint8Array.of(0), leb128(length), ...content]);
}

function weightsSection(weights: KernelWeights, bits: KernelWeightBits): Uint8Array {
  const matrices = joinedFloats(weights.matrices.map((matrix) => matrix.values));
  const vectors = joinedFloats(weights.vectors);
  const body = joined([
    new Uint8Array(vectors.buffer),
    bits === 16 ? planes(weights.matrices) : new Uint8Array(matrices.buffer),
  ]);
  if (body.length % 4 !== 0) throw new Error('the weights do not fill whole words');
  const header: KernelHeader = {
    bits,
    matrixCount: matrices.length,
    vectorCount: vectors.length,
    checksum: checksum(new Uint32Array(body.buffer)),
  };
  const words = Uint32Array.of(
    KERNEL_MAGIC,
    header.bits,
    header.matrixCount,
    header.vectorCount,
    header.checksum,
  );
  const section = joined([new Uint8Array(words.buffer), body]);
  if (words.length !== KERNEL_HEADER_WORDS || section.length !== kernelSectionBytes(header)) {
    throw new Error('the weights section is not as long as its header says');
  }
  return section;
}

/** See `KERNEL_CHECKSUM_START`. */
function checksum(words: Uint32Array): number {
  return (
    words.reduce((sum, word) => Math.imul(sum ^ word, 0x01000193), KERNEL_CHECKSUM_START) >>> 0
  );
}

/** Two planes of bytes: the low ones of all weights, then the high ones. */
function planes(matrices: readonly KernelMatrix[]): Uint8Array {
  const patterns = matrices.flatMap(({ values, format }) =>
    Array.from(values, (value) => toSmallFloat(value, format)),
  );
  return Uint8Array.from([
    ...patterns.map((pattern) => pattern & 0xff),
    ...patterns.map((pattern) => pattern >> 8),
  ]);
}

function joinedFloats(parts: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  if (!all.every(Number.isFinite)) throw new Error('a weight is not a finite number');
  return all;
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** An unsigned integer in WebAssembly's variable length. */
function leb128(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  do {
    bytes.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
    rest >>>= 7;
  } while (rest > 0);
  return Uint8Array.from(bytes);
}
