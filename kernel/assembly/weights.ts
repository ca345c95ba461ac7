// Weights as they come over the wire: 16 bits each, in two planes of bytes (the low bytes of all,
// then the high ones, which compresses better). A weight is a sign, an exponent of 4 bits or of 2
// (a fixed point below 4), and a fraction, as tools/kernel/weights.ts makes them.

// The distance of a pattern from its place in a float, and the factor that its exponent then lacks:
// 2^(127 - what the exponent is stored with on top).
export const SMALL_SHIFT: i32 = 23 - 11;
export const SMALL_SCALE: f32 = 1.661534994731145e35; // 2^117
export const FIXED_SHIFT: i32 = 23 - 13;
export const FIXED_SCALE: f32 = 1.7014118346046923e38; // 2^127

/**
 * Goes on from `sum` over `bytes` bytes (a multiple of 4) at `from`:
 * src/core/speech/kernel-format.ts says what a checksum is. Here, since a script that has only just
 * been loaded is interpreted: it took 13 ms.
 */
export function checksum(sum: u32, from: usize, bytes: usize): u32 {
  for (const end = from + bytes; from < end; from += 4) sum = (sum ^ load<u32>(from)) * 0x01000193;
  return sum;
}

/**
 * Turns `count` weights (a multiple of 16) into floats at `out`; the planes lie `apart` bytes
 * apart.
 */
export function expand(
  planes: usize, apart: usize, count: usize, out: usize, shift: i32, scale: f32,
): void {
  for (const end = planes + count; planes < end; planes += 16, out += 64) {
    const low = v128.load(planes);
    const high = v128.load(planes + apart);
    const first = v128.shuffle<u8>(low, high, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const last = v128.shuffle<u8>(low, high, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    v128.store(out, floats(i32x4.extend_low_i16x8_u(first), shift, scale));
    v128.store(out, floats(i32x4.extend_high_i16x8_u(first), shift, scale), 16);
    v128.store(out, floats(i32x4.extend_low_i16x8_u(last), shift, scale), 32);
    v128.store(out, floats(i32x4.extend_high_i16x8_u(last), shift, scale), 48);
  }
}

/**
 * Moved to their place in a float, exponent and fraction make a number that is only too small; a
 * multiplication puts that right, for subnormal numbers too.
 */
@inline
function floats(weights: v128, shift: i32, scale: f32): v128 {
  const sign = i32x4.shl(v128.and(weights, i32x4.splat(0x8000)), 16);
  const size = i32x4.shl(v128.and(weights, i32x4.splat(0x7fff)), shift);
  return v128.or(sign, f32x4.mul(size, f32x4.splat(scale)));
}
