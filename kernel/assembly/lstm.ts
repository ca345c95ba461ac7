// One step of an LSTM. Its gates i, f, g, o are rows of one matrix over the inputs x and the old
// hidden values h:
//   c' = sigmoid(f) c + sigmoid(i) tanh(g),   h' = sigmoid(o) tanh(c').
//
// The weights of x and of h are two matrices, both as sparse.ts wants them. Most of x is zero,
// nothing of h.

import { exp, madd } from './math';
import { COLUMN, LIST, list, sumListed } from './sparse';

/** The sums that go into the gates, `f32[4][128]` at most. */
const GATES = memory.data(4 * 128 * 4, 16);

/** Carries the state one step on: `size` values at `x`, at `hidden` and at `cell`. */
export function lstmStep(
  inputWeights: usize, hiddenWeights: usize, bias: usize,
  x: usize, hidden: usize, cell: usize, size: usize,
): void {
  const end = list(x, size, 0, LIST);
  sumListed(inputWeights, size * COLUMN, 4 * size, LIST, end, bias, -Infinity, GATES);
  addHidden(hiddenWeights, hidden, size);
  open(hidden, cell, size * 4);
}

/**
 * Adds the hidden values times their weights to all gates, 32 at a time; two a round, see
 * product.ts.
 */
function addHidden(weights: usize, hidden: usize, size: usize): void {
  const end = hidden + size * 4;
  for (let out = GATES; out < GATES + 4 * size * 4; out += COLUMN) {
    let s0 = v128.load(out);
    let s1 = v128.load(out, 16);
    let s2 = v128.load(out, 32);
    let s3 = v128.load(out, 48);
    let s4 = v128.load(out, 64);
    let s5 = v128.load(out, 80);
    let s6 = v128.load(out, 96);
    let s7 = v128.load(out, 112);
    for (let h = hidden; h < end; h += 8, weights += 2 * COLUMN) {
      const a = v128.load32_splat(h);
      s0 = madd(v128.load(weights), a, s0);
      s1 = madd(v128.load(weights, 16), a, s1);
      s2 = madd(v128.load(weights, 32), a, s2);
      s3 = madd(v128.load(weights, 48), a, s3);
      s4 = madd(v128.load(weights, 64), a, s4);
      s5 = madd(v128.load(weights, 80), a, s5);
      s6 = madd(v128.load(weights, 96), a, s6);
      s7 = madd(v128.load(weights, 112), a, s7);
      const b = v128.load32_splat(h, 4);
      s0 = madd(v128.load(weights, 128), b, s0);
      s1 = madd(v128.load(weights, 144), b, s1);
      s2 = madd(v128.load(weights, 160), b, s2);
      s3 = madd(v128.load(weights, 176), b, s3);
      s4 = madd(v128.load(weights, 192), b, s4);
      s5 = madd(v128.load(weights, 208), b, s5);
      s6 = madd(v128.load(weights, 224), b, s6);
      s7 = madd(v128.load(weights, 240), b, s7);
    }
    v128.store(out, s0);
    v128.store(out, s1, 16);
    v128.store(out, s2, 32);
    v128.store(out, s3, 48);
    v128.store(out, s4, 64);
    v128.store(out, s5, 80);
    v128.store(out, s6, 96);
    v128.store(out, s7, 112);
  }
}

/**
 * The gates' functions. With sigmoid(x) = 1 / (1 + e^-x) and tanh(x) = (1 - e^-2x) / (1 + e^-2x), a
 * product of the two needs one division.
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

/**
 * e^(factor x), the exponent held to +-40: there the functions have reached their ends in a float.
 */
@inline
function power(x: v128, factor: f32): v128 {
  const exponent = f32x4.mul(x, f32x4.splat(factor));
  return exp(f32x4.max(f32x4.min(exponent, f32x4.splat(40)), f32x4.splat(-40)));
}
