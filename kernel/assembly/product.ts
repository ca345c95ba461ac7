// A dense matrix times three columns. Three, because a frame holds three windows: a weight loaded
// once then serves three times, and the multipliers, not the loads, set the pace.
//
// Weights lie as `f32[rows / 8][inputs][8]`: the loop over the inputs reads them in order, two a
// round, each with six sums of its own. A sum waits four cycles for the one before it and two are
// made a cycle, so six of them are too few; twelve, the two weights and the value they are
// multiplied with fill the fifteen registers that browsers' compilers have.

import { madd } from './math';

/** Rows of one pass over the inputs: two vectors. */
const BLOCK: usize = 8;

/**
 * `out[column][row] = start[row] + sum over i of weights[row][i] x[column][i]`.
 *
 * Addresses and strides (from one column to the next) are in bytes; `inputs` is even, `rows` a
 * multiple of 8.
 */
export function product3(
  weights: usize, inputs: usize, rows: usize,
  x: usize, xStride: usize,
  start: usize,
  out: usize, outStride: usize,
): void {
  const zero = f32x4.splat(0);
  for (let row: usize = 0; row < rows; row += BLOCK, start += BLOCK * 4, out += BLOCK * 4) {
    let low0 = v128.load(start);
    let high0 = v128.load(start, 16);
    let low1 = low0;
    let high1 = high0;
    let low2 = low0;
    let high2 = high0;
    let oddLow0 = zero;
    let oddHigh0 = zero;
    let oddLow1 = zero;
    let oddHigh1 = zero;
    let oddLow2 = zero;
    let oddHigh2 = zero;
    let x0 = x;
    let x1 = x + xStride;
    let x2 = x + 2 * xStride;
    for (const end = weights + inputs * BLOCK * 4; weights < end; weights += 2 * BLOCK * 4) {
      const low = v128.load(weights);
      const high = v128.load(weights, 16);
      const a0 = v128.load32_splat(x0);
      low0 = madd(low, a0, low0);
      high0 = madd(high, a0, high0);
      const a1 = v128.load32_splat(x1);
      low1 = madd(low, a1, low1);
      high1 = madd(high, a1, high1);
      const a2 = v128.load32_splat(x2);
      low2 = madd(low, a2, low2);
      high2 = madd(high, a2, high2);

      const oddLow = v128.load(weights, 32);
      const oddHigh = v128.load(weights, 48);
      const b0 = v128.load32_splat(x0, 4);
      oddLow0 = madd(oddLow, b0, oddLow0);
      oddHigh0 = madd(oddHigh, b0, oddHigh0);
      const b1 = v128.load32_splat(x1, 4);
      oddLow1 = madd(oddLow, b1, oddLow1);
      oddHigh1 = madd(oddHigh, b1, oddHigh1);
      const b2 = v128.load32_splat(x2, 4);
      oddLow2 = madd(oddLow, b2, oddLow2);
      oddHigh2 = madd(oddHigh, b2, oddHigh2);
      x0 += 8;
      x1 += 8;
      x2 += 8;
    }
    v128.store(out, f32x4.add(low0, oddLow0));
    v128.store(out, f32x4.add(high0, oddHigh0), 16);
    v128.store(out + outStride, f32x4.add(low1, oddLow1));
    v128.store(out + outStride, f32x4.add(high1, oddHigh1), 16);
    v128.store(out + 2 * outStride, f32x4.add(low2, oddLow2));
    v128.store(out + 2 * outStride, f32x4.add(high2, oddHigh2), 16);
  }
}
