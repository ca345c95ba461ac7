// One step of an LSTM. Its gates i, f, g, o are rows of one matrix over the inputs x and the old hidden
// values h:
//   c' = sigmoid(f) c + sigmoid(i) tanh(g),   h' = sigmoid(o) tanh(c').
//
// The weights of x and of h are two matrices, as sparse.ts wants them.

import { exp } from './math';
import { COLUMN, LIST, list, sumListed } from './sparse';

/** What goes into the gates, `f32[4][128]` at most. */
const GATES = memory.data(4 * 128 * 4, 16);

/** Carries the state one step on: `size` values at `x`, at `hidden` and at `cell`. */
export function lstmStep(
  inputWeights: usize, hiddenWeights: usize, bias: usize,
  x: usize, hidden: usize, cell: usize, size: usize,
): void {
  const block = size * COLUMN;
  let end = list(x, size, 0, LIST);
  sumListed(inputWeights, block, 4 * size, LIST, end, bias, -Infinity, GATES);
  end = list(hidden, size, 0, LIST);
  sumListed(hiddenWeights, block, 4 * size, LIST, end, GATES, -Infinity, GATES);
  open(hidden, cell, size * 4);
}

/**
 * The gates' functions. With sigmoid(x) = 1 / (1 + e^-x) and tanh(x) = (1 - e^-2x) / (1 + e^-2x), a product
 * of the two needs one division.
 */
function open(hidden: usize, cell: usize, bytes: usize): void {
  const one = f32x4.splat(1);
  for (let at: usize = 0; at < bytes; at += 16) {
    const i = power(v128.load(GATES + at), -1);
    const f = power(v128.load(GATES + bytes + at), -1);
    const g = power(v128.load(GATES + 2 * bytes + at), -2);
    const kept = f32x4.div(v128.load(cell + at), f32x4.add(one, f));
    const added = f32x4.div(f32x4.sub(one, g), f32x4.mul(f32x4.add(one, i), f32x4.add(one, g)));
    v128.store(cell + at, f32x4.add(kept, added));
  }
  // A loop of its own: one for both needs more registers than there are.
  for (let at: usize = 0; at < bytes; at += 16) {
    const o = power(v128.load(GATES + 3 * bytes + at), -1);
    const c = power(v128.load(cell + at), -2);
    const value = f32x4.div(f32x4.sub(one, c), f32x4.mul(f32x4.add(one, o), f32x4.add(one, c)));
    v128.store(hidden + at, value);
  }
}

/** e^(factor x), the exponent held to +-40: there the functions have reached their ends in a float. */
@inline
function power(x: v128, factor: f32): v128 {
  const exponent = f32x4.mul(x, f32x4.splat(factor));
  return exp(f32x4.max(f32x4.min(exponent, f32x4.splat(40)), f32x4.splat(-40)));
}
