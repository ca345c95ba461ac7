// A matrix times one column of which many values are exactly zero: behind a Relu it is half of
// them, in front of the LSTM three in four. The others are listed first, then only their weights
// are read.
//
// Weights lie as `f32[rows / 32][inputs][32]`: eight sums stay in registers while one input after
// the other is added to them.

import { madd } from './math';

/** Rows of one pass over the list: eight vectors. */
const BLOCK: usize = 32;
/** The bytes of one input's weights in a block: how far apart the entries of a list point. */
export const COLUMN: usize = BLOCK * 4;

/**
 * The list: where the weights of an input lie in a block, `u32[516]`; writing runs three entries
 * over.
 */
export const LIST = memory.data(516 * 4, 16);
/** The values of the listed inputs, `f32[516]`, in step with them. */
const VALUES = memory.data(516 * 4, 16);
const APART: usize = VALUES - LIST;

/** For each set of lanes that are not zero, the bytes that move them to the front: `u8[16][16]`. */
const ORDERS = memory.data(16 * 16, 16);

/** Fills the table. */
export function prepareLists(): void {
  for (let set: usize = 0; set < 16; set++) {
    let to = ORDERS + set * 16;
    for (let lane: usize = 0; lane < 4; lane++) {
      if ((set >> lane) & 1) {
        store<u32>(to, 0x03020100 + u32(lane) * 0x04040404);
        to += 4;
      }
    }
  }
}

/**
 * Lists those of `count` values (a multiple of 4) at `x` that are not zero, from `to` on; returns
 * the list's end. `offset` is where the first one's weights lie in a block.
 */
export function list(x: usize, count: usize, offset: usize, to: usize): usize {
  const zero = i32x4.splat(0);
  const step = i32x4.splat(512); // 4 * COLUMN
  let offsets = i32x4.add(i32x4.splat(i32(offset)), i32x4(0, 128, 256, 384));
  for (const end = x + count * 4; x < end; x += 16) {
    const values = v128.load(x);
    const set = i32x4.bitmask(i32x4.ne(values, zero));
    const order = v128.load(ORDERS + (usize(set) << 4));
    v128.store(to, i8x16.swizzle(offsets, order));
    v128.store(to, i8x16.swizzle(values, order), APART);
    to += usize(popcnt(set)) << 2;
    offsets = i32x4.add(offsets, step);
  }
  return to;
}

/**
 * `out[row] = max(floor, start[row] + sum over the list, from its entry `first` to `end`, of
 * weights[row][input] value)`. `blockBytes` is how far apart two blocks of 32 rows lie.
 */
export function sumListed(
  weights: usize, blockBytes: usize, rows: usize,
  first: usize, end: usize,
  start: usize, floor: f32, out: usize,
): void {
  const least = f32x4.splat(floor);
  for (let row: usize = 0; row < rows; row += BLOCK, weights += blockBytes) {
    let s0 = v128.load(start);
    let s1 = v128.load(start, 16);
    let s2 = v128.load(start, 32);
    let s3 = v128.load(start, 48);
    let s4 = v128.load(start, 64);
    let s5 = v128.load(start, 80);
    let s6 = v128.load(start, 96);
    let s7 = v128.load(start, 112);
    for (let entry = first; entry < end; entry += 4) {
      const w = weights + load<usize>(entry);
      const value = v128.load32_splat(entry, APART);
      s0 = madd(v128.load(w), value, s0);
      s1 = madd(v128.load(w, 16), value, s1);
      s2 = madd(v128.load(w, 32), value, s2);
      s3 = madd(v128.load(w, 48), value, s3);
      s4 = madd(v128.load(w, 64), value, s4);
      s5 = madd(v128.load(w, 80), value, s5);
      s6 = madd(v128.load(w, 96), value, s6);
      s7 = madd(v128.load(w, 112), value, s7);
    }
    v128.store(out, f32x4.max(s0, least));
    v128.store(out, f32x4.max(s1, least), 16);
    v128.store(out, f32x4.max(s2, least), 32);
    v128.store(out, f32x4.max(s3, least), 48);
    v128.store(out, f32x4.max(s4, least), 64);
    v128.store(out, f32x4.max(s5, least), 80);
    v128.store(out, f32x4.max(s6, least), 96);
    v128.store(out, f32x4.max(s7, least), 112);
    start += COLUMN;
    out += COLUMN;
  }
}
