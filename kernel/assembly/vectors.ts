// Four rows of four lanes into four columns: first neighbours interleaved, then halves put
// together.

/** a0 b0 a1 b1 */
@inline
export function interleavedLow(a: v128, b: v128): v128 {
  return v128.shuffle<f32>(a, b, 0, 4, 1, 5);
}

/** a2 b2 a3 b3 */
@inline
export function interleavedHigh(a: v128, b: v128): v128 {
  return v128.shuffle<f32>(a, b, 2, 6, 3, 7);
}

/** a0 b0 c0 d0 of the interleaved lows. */
@inline
export function lowHalves(ab: v128, cd: v128): v128 {
  return v128.shuffle<f32>(ab, cd, 0, 1, 4, 5);
}

/** a1 b1 c1 d1 of the interleaved lows. */
@inline
export function highHalves(ab: v128, cd: v128): v128 {
  return v128.shuffle<f32>(ab, cd, 2, 3, 6, 7);
}
