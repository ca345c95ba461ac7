// A dense matrix times three columns. Three, because a frame holds three windows (v6) and its time steps come
// in threes (v4): a weight loaded once then serves three times, and the multipliers, not the loads, set the
// pace.
//
// Weights lie as `f32[rows / 8][inputs][8]`: the loop over the inputs reads them in order. Six sums stay in
// registers; more spill, since browsers' compilers have fifteen, and fewer leave the adders waiting for one
// another. Two inputs a round, because a loop in a browser pays for a check of its own each time round.

/** Rows of one pass over the inputs: two vectors. */
const BLOCK: usize = 8;

/**
 * `out[column][row] = max(floor, start[row] + sum over i of weights[row][i] x[column][i])`.
 *
 * Addresses and strides (from one column to the next) are in bytes; `inputs` is even, `rows` a multiple
 * of 8. `floor` is 0 for a convolution with Relu, or minus infinity.
 */
export function product3(
  weights: usize, inputs: usize, rows: usize,
  x: usize, xStride: usize,
  start: usize, floor: f32,
  out: usize, outStride: usize,
): void {
  const least = f32x4.splat(floor);
  for (let row: usize = 0; row < rows; row += BLOCK, start += BLOCK * 4, out += BLOCK * 4) {
    let low0 = v128.load(start);
    let high0 = v128.load(start, 16);
    let low1 = low0;
    let high1 = high0;
    let low2 = low0;
    let high2 = high0;
    let x0 = x;
    let x1 = x + xStride;
    let x2 = x + 2 * xStride;
    for (const end = weights + inputs * BLOCK * 4; weights < end; weights += 2 * BLOCK * 4) {
      const a = v128.load(weights);
      const b = v128.load(weights, 16);
      const a0 = v128.load32_splat(x0);
      const a1 = v128.load32_splat(x1);
      const a2 = v128.load32_splat(x2);
      low0 = f32x4.add(low0, f32x4.mul(a, a0));
      high0 = f32x4.add(high0, f32x4.mul(b, a0));
      low1 = f32x4.add(low1, f32x4.mul(a, a1));
      high1 = f32x4.add(high1, f32x4.mul(b, a1));
      low2 = f32x4.add(low2, f32x4.mul(a, a2));
      high2 = f32x4.add(high2, f32x4.mul(b, a2));

      const c = v128.load(weights, 32);
      const d = v128.load(weights, 48);
      const c0 = v128.load32_splat(x0, 4);
      const c1 = v128.load32_splat(x1, 4);
      const c2 = v128.load32_splat(x2, 4);
      low0 = f32x4.add(low0, f32x4.mul(c, c0));
      high0 = f32x4.add(high0, f32x4.mul(d, c0));
      low1 = f32x4.add(low1, f32x4.mul(c, c1));
      high1 = f32x4.add(high1, f32x4.mul(d, c1));
      low2 = f32x4.add(low2, f32x4.mul(c, c2));
      high2 = f32x4.add(high2, f32x4.mul(d, c2));
      x0 += 8;
      x1 += 8;
      x2 += 8;
    }
    v128.store(out, f32x4.max(low0, least));
    v128.store(out, f32x4.max(high0, least), 16);
    v128.store(out + outStride, f32x4.max(low1, least));
    v128.store(out + outStride, f32x4.max(high1, least), 16);
    v128.store(out + 2 * outStride, f32x4.max(low2, least));
    v128.store(out + 2 * outStride, f32x4.max(high2, least), 16);
  }
}
