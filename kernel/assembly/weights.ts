// Weights as they come over the wire: half-precision floats in two planes of bytes (all low bytes, then all
// high ones, which compresses better), or plain floats.

/** FNV-1a over 32-bit words (http://www.isthe.com/chongo/tech/comp/fnv/): finds a damaged file. */
export function checksum(from: usize, bytes: usize): u32 {
  let hash: u32 = 0x811c9dc5;
  for (const end = from + bytes; from < end; from += 4) hash = (hash ^ load<u32>(from)) * 0x01000193;
  return hash;
}

/** Turns `count` halves (a multiple of 16) at `planes` into floats at `out`. */
export function expandHalves(planes: usize, count: usize, out: usize): void {
  for (let i: usize = 0; i < count; i += 16) {
    const low = v128.load(planes + i);
    const high = v128.load(planes + count + i);
    const first = v128.shuffle<u8>(low, high, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const last = v128.shuffle<u8>(low, high, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    const to = out + i * 4;
    v128.store(to, floats(i32x4.extend_low_i16x8_u(first)));
    v128.store(to, floats(i32x4.extend_high_i16x8_u(first)), 16);
    v128.store(to, floats(i32x4.extend_low_i16x8_u(last)), 32);
    v128.store(to, floats(i32x4.extend_high_i16x8_u(last)), 48);
  }
}

/**
 * Finite halves (sign, 5 bits of exponent, 10 of fraction) as floats: moved to a float's place, the exponent
 * is 112 too low, which a multiplication puts right, for subnormal halves too.
 */
@inline
function floats(halves: v128): v128 {
  const sign = i32x4.shl(v128.and(halves, i32x4.splat(0x8000)), 16);
  const rest = i32x4.shl(v128.and(halves, i32x4.splat(0x7fff)), 13);
  return v128.or(sign, f32x4.mul(rest, f32x4.splat(5.192296858534828e33)));
}
