import type { KernelMatrix } from './kernel-weights.ts';
import { FIXED, SMALL } from './small-float.ts';

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
export function matrixOf(values: Float32Array, rows: number, columns: number): Matrix {
  return picked(values, { rows, columns, stride: 1, from: 0 });
}

/** One tap of a convolution's `[outputs][inputs][taps]` as a matrix. */
export function tapOf(
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
export function widened(matrix: Matrix, columns: number): Matrix {
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
export function recurrentBlocks(matrix: Matrix, blockRows: number): KernelMatrix {
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
