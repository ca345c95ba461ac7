import {
  KERNEL_CHECKSUM_START,
  KERNEL_HEADER_WORDS,
  KERNEL_MAGIC,
  KERNEL_SECTION,
  type KernelHeader,
  type KernelWeightBits,
  kernelSectionBytes,
} from '../../src/core/speech/kernel-format.ts';
import type { SileroWeights } from '../onnx/silero.ts';

/** A model's weights in the order in which a kernel reads them. */
type KernelWeights = {
  /** The great matrices: sent in 16 bits a weight. */
  readonly matrices: readonly KernelMatrix[];
  /** Biases and other few numbers: sent as they are. */
  readonly vectors: readonly Float32Array[];
};

/** Weights in the kernel's order, and how they are rounded. */
type KernelMatrix = { readonly values: Float32Array; readonly format: SmallFloat };

/**
 * A floating-point number of 16 bits: sign, exponent, fraction. Every pattern is a finite number.
 */
export type SmallFloat = {
  readonly fractionBits: number;
  /**
   * The bias of the exponent; the field 0 means 1 without the leading bit
   * (subnormal).
   */
  readonly bias: number;
};

/**
 * Half precision with one bit of the exponent given to the fraction: from 2^-20 to just below 64,
 * where all of Silero's weights lie. In half precision itself, probabilities of v6 were off by up
 * to 0.06 in loud audio: a few channels grow very large there, and their weights' rounding with
 * them.
 */
export const SMALL: SmallFloat = { fractionBits: 11, bias: 10 };

/**
 * A fixed point below 4, in steps of 2^-12. Where all inputs are of one size, as an LSTM's hidden
 * values are, small weights need no finer steps, and it compresses better. Steps of 2^-13 would
 * halve the largest error of v6's probabilities (2.9e-3 in minutes of hard audio) for 8 kB.
 */
export const FIXED: SmallFloat = { fractionBits: 13, bias: 0 };

/**
 * The number's 16 bits, rounded to the nearest, ties to even. Throws when it does not fit or is
 * none.
 */
export function toSmallFloat(value: number, { fractionBits, bias }: SmallFloat): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  const least = 1 - bias;
  const exponent = Math.max(least, Math.floor(Math.log2(size)));
  const steps = roundHalfEven(size * 2 ** (fractionBits - exponent));
  // The leading bit of a normal number adds one to the exponent's field, as does a fraction rounded
  // up to 2.
  const pattern = steps + (exponent - least) * 2 ** fractionBits;
  if (!(pattern < 0x8000)) throw new Error(`${value} does not fit 16 bits`);
  return sign + pattern;
}

function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return rest < 0.5 ? floor : floor + 1;
  return floor % 2 === 0 ? floor : floor + 1;
}

/**
 * A matrix of weights, read one at a time: `rows` outputs by `columns` inputs. The kernel's loops
 * read weights in order, so they are laid out here, at build time.
 */
export type Matrix = {
  readonly rows: number;
  readonly columns: number;
  readonly at: (row: number, column: number) => number;
};

/** A flat `[rows][columns]` array as a matrix; throws when the length does not fit. */
function matrixOf(values: Float32Array, rows: number, columns: number): Matrix {
  return picked(values, { rows, columns, stride: 1, from: 0 });
}

/** One tap of a convolution's `[outputs][inputs][taps]` as a matrix. */
function tapOf(
  values: Float32Array,
  shape: { readonly outputs: number; readonly inputs: number; readonly taps: number },
  tap: number,
): Matrix {
  const { outputs, inputs, taps } = shape;
  return picked(values, { rows: outputs, columns: inputs, stride: taps, from: tap });
}

function picked(
  values: Float32Array,
  how: { rows: number; columns: number; stride: number; from: number },
): Matrix {
  const { rows, columns, stride, from } = how;
  if (values.length !== rows * columns * stride) {
    throw new Error(`${values.length} weights do not make ${rows} x ${columns} x ${stride}`);
  }
  return {
    rows,
    columns,
    at: (row, column) => values[(row * columns + column) * stride + from] ?? Number.NaN,
  };
}

/** Matrices of equal height side by side: their inputs one after the other. */
export function beside(...parts: readonly Matrix[]): Matrix {
  const [first] = parts;
  if (!first || parts.some((part) => part.rows !== first.rows)) {
    throw new Error('matrices of different heights do not stand side by side');
  }
  return {
    rows: first.rows,
    columns: parts.reduce((sum, part) => sum + part.columns, 0),
    at(row, column) {
      let left = column;
      for (const part of parts) {
        if (left < part.columns) return part.at(row, left);
        left -= part.columns;
      }
      return Number.NaN;
    },
  };
}

/** The matrix with columns of zeros added: where the kernel wants a round number of inputs. */
function widened(matrix: Matrix, columns: number): Matrix {
  const { rows } = matrix;
  const nothing: Matrix = { rows, columns: columns - matrix.columns, at: () => 0 };
  return beside(matrix, nothing);
}

/**
 * A matrix as the kernel reads it, `[rows / blockRows][columns][blockRows]`: blocks of 8 rows for
 * product.ts, of 32 for sparse.ts.
 */
export function blocks(matrix: Matrix, blockRows: number): KernelMatrix {
  return { values: inBlocks(matrix, blockRows), format: SMALL };
}

/** The same for an LSTM's recurrent weights. */
function recurrentBlocks(matrix: Matrix, blockRows: number): KernelMatrix {
  return { values: inBlocks(matrix, blockRows), format: FIXED };
}

function inBlocks(matrix: Matrix, blockRows: number): Float32Array {
  const { rows, columns } = matrix;
  if (rows % blockRows !== 0) throw new Error(`${rows} rows do not make blocks of ${blockRows}`);
  const out = new Float32Array(rows * columns);
  let to = 0;
  for (let block = 0; block < rows; block += blockRows) {
    for (let column = 0; column < columns; column++) {
      for (let row = block; row < block + blockRows; row++) out[to++] = matrix.at(row, column);
    }
  }
  return out;
}

/**
 * Silero's weights in the order of kernel/assembly/silero.ts. Taps that only ever
 * meet the zeros beyond the ends of the time axis are left out.
 */
export function layoutOf(weights: SileroWeights): KernelWeights {
  const [first, second, third, fourth] = weights.encoder;
  const shape1 = { outputs: 128, inputs: 129, taps: 3 };
  const shape2 = { outputs: 64, inputs: 128, taps: 3 };
  const shape3 = { outputs: 64, inputs: 64, taps: 3 };
  const shape4 = { outputs: 128, inputs: 64, taps: 3 };
  return {
    matrices: [
      ...[0, 1, 2].map((tap) => blocks(widened(tapOf(first.weight, shape1, tap), 130), 8)),
      blocks(beside(...[0, 1, 2].map((tap) => tapOf(second.weight, shape2, tap))), 32),
      blocks(beside(...[1, 2].map((tap) => tapOf(third.weight, shape3, tap))), 32),
      blocks(tapOf(fourth.weight, shape4, 1), 32),
      blocks(matrixOf(weights.lstm.input, 512, 128), 32),
      recurrentBlocks(matrixOf(weights.lstm.hidden, 512, 128), 32),
    ],
    vectors: [
      first.bias,
      second.bias,
      third.bias,
      fourth.bias,
      weights.lstm.bias,
      weights.output.weight,
      Float32Array.of(weights.output.bias[0] ?? Number.NaN, 0, 0, 0),
    ],
  };
}

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
