// Elementary functions, four at a time.

/**
 * a b + c: one instruction where the build is for relaxed SIMD and the processor has it, which is
 * rounded once; else two, rounded twice.
 */
@inline
export function madd(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f32x4.relaxed_madd(a, b, c);
  return f32x4.add(f32x4.mul(a, b), c);
}

/**
 * e^x for -87 <= x <= 87, relative error below 2e-7: 2^n p(r), where x log2(e) = n + r, n whole and
 * |r| <= 1/2. p is the polynomial of degree 5 nearest to 2^r in relative error (Remez, 7.5e-8).
 */
@inline
export function exp(x: v128): v128 {
  // A number this large has no room for a fraction: n stands in its lowest bits.
  const large = f32x4.splat(12582912); // 1.5 * 2^23
  const scaled = f32x4.mul(x, f32x4.splat(1.4426950408889634));
  const rounded = f32x4.add(scaled, large);
  const r = f32x4.sub(scaled, f32x4.sub(rounded, large));
  let p = f32x4.splat(0.0013276472167858258);
  p = madd(p, r, f32x4.splat(0.00967554133102549));
  p = madd(p, r, f32x4.splat(0.055507132728753135));
  p = madd(p, r, f32x4.splat(0.2402211972396911));
  p = madd(p, r, f32x4.splat(0.6931469670652649));
  p = madd(p, r, f32x4.splat(1.0000000716546416));
  // Adding n to the exponent's bits multiplies by 2^n.
  return i32x4.add(p, i32x4.shl(rounded, 23));
}

/** The sum of the four lanes. */
@inline
export function sum(x: v128): f32 {
  const pairs = f32x4.add(x, v128.shuffle<f32>(x, x, 2, 3, 0, 1));
  return f32x4.extract_lane(pairs, 0) + f32x4.extract_lane(pairs, 1);
}

/** 1 / (1 + e^-x), held within what `exp` can take. */
export function sigmoid(x: f32): f32 {
  const limited = max<f32>(min<f32>(x, 80), -80);
  return 1 / (1 + f32x4.extract_lane(exp(f32x4.splat(-limited)), 0));
}
