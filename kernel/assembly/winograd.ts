// A convolution of three taps over four time steps with zeros beyond both ends, in six
// multiplications per input instead of ten: Winograd's F(4, 3) (Lavin and Gray, arXiv:1509.09308),
// y = A [(G w) (B x)]. The zeros take the outer columns of B away.
//
//   G w              B x                           A m
//   w0 / 4                   - 5 x1      + x3      m0 + m1 + m2 +   m3 +   m4
//   -(w0+w1+w2) / 6  -4 x0 - 4 x1 +   x2 + x3           m1 - m2 + 2 m3 - 2 m4
//   -(w0-w1+w2) / 6   4 x0 - 4 x1 -   x2 + x3           m1 + m2 + 4 m3 + 4 m4
//   (w0+2w1+4w2)/24  -2 x0 -   x1 + 2 x2 + x3           m1 - m2 + 8 m3 - 8 m4 + m5
//   (w0-2w1+4w2)/24   2 x0 -   x1 - 2 x2 + x3
//   w2                4 x0        - 5 x2

import { highHalves, interleavedHigh, interleavedLow, lowHalves } from './vectors';

/** The products that replace the three taps. */
export const POINTS: usize = 6;

/** G: three planes of `bytes` bytes, one of each tap, become six. */
export function prepareTaps(taps: usize, bytes: usize, out: usize): void {
  for (let at: usize = 0; at < bytes; at += 16) {
    const w0 = v128.load(taps + at);
    const w1 = v128.load(taps + bytes + at);
    const w2 = v128.load(taps + 2 * bytes + at);
    const outer = f32x4.mul(f32x4.add(w0, w2), f32x4.splat(-1.0 / 6));
    const inner = f32x4.mul(w1, f32x4.splat(1.0 / 6));
    const outerOf2 = f32x4.mul(f32x4.add(w0, f32x4.mul(w2, f32x4.splat(4))), f32x4.splat(1.0 / 24));
    const innerOf2 = f32x4.mul(w1, f32x4.splat(1.0 / 12));
    v128.store(out + at, f32x4.mul(w0, f32x4.splat(0.25)));
    v128.store(out + bytes + at, f32x4.sub(outer, inner));
    v128.store(out + 2 * bytes + at, f32x4.add(outer, inner));
    v128.store(out + 3 * bytes + at, f32x4.add(outerOf2, innerOf2));
    v128.store(out + 4 * bytes + at, f32x4.sub(outerOf2, innerOf2));
    v128.store(out + 5 * bytes + at, w2);
  }
}

/**
 * B: `x[channel][4 steps]` becomes `out[point][channel]`, points `pointBytes` apart; channels in
 * fours.
 */
export function transform(x: usize, out: usize, pointBytes: usize, channels: usize): void {
  const two = f32x4.splat(2);
  const four = f32x4.splat(4);
  const five = f32x4.splat(5);
  for (const end = out + channels * 4; out < end; out += 16, x += 64) {
    const a = v128.load(x);
    const b = v128.load(x, 16);
    const c = v128.load(x, 32);
    const d = v128.load(x, 48);
    const abLow = interleavedLow(a, b);
    const abHigh = interleavedHigh(a, b);
    const cdLow = interleavedLow(c, d);
    const cdHigh = interleavedHigh(c, d);
    const x0 = lowHalves(abLow, cdLow);
    const x1 = highHalves(abLow, cdLow);
    const x2 = lowHalves(abHigh, cdHigh);
    const x3 = highHalves(abHigh, cdHigh);

    v128.store(out, f32x4.sub(x3, f32x4.mul(x1, five)));
    const even = f32x4.sub(x3, f32x4.mul(x1, four));
    const odd = f32x4.sub(x2, f32x4.mul(x0, four));
    v128.store(out + pointBytes, f32x4.add(even, odd));
    v128.store(out + 2 * pointBytes, f32x4.sub(even, odd));
    const even2 = f32x4.sub(x3, x1);
    const odd2 = f32x4.mul(two, f32x4.sub(x2, x0));
    v128.store(out + 3 * pointBytes, f32x4.add(even2, odd2));
    v128.store(out + 4 * pointBytes, f32x4.sub(even2, odd2));
    v128.store(out + 5 * pointBytes, f32x4.sub(f32x4.mul(x0, four), f32x4.mul(x2, five)));
  }
}

/** A, then bias and Relu: `m[point][channel]` becomes `out[step][channel]`. */
export function inverseTransform(
  m: usize, pointBytes: usize, bias: usize, out: usize, channels: usize,
): void {
  const two = f32x4.splat(2);
  const four = f32x4.splat(4);
  const eight = f32x4.splat(8);
  const zero = f32x4.splat(0);
  const stepBytes = channels * 4;
  for (const end = m + stepBytes; m < end; m += 16, bias += 16, out += 16) {
    const base = v128.load(bias);
    const m1 = v128.load(m + pointBytes);
    const m2 = v128.load(m + 2 * pointBytes);
    const m3 = v128.load(m + 3 * pointBytes);
    const m4 = v128.load(m + 4 * pointBytes);
    const even = f32x4.add(f32x4.add(m1, m2), base);
    const odd = f32x4.add(f32x4.sub(m1, m2), base);
    const even2 = f32x4.add(m3, m4);
    const odd2 = f32x4.sub(m3, m4);
    const y0 = f32x4.add(f32x4.add(even, even2), v128.load(m));
    const y1 = f32x4.add(odd, f32x4.mul(odd2, two));
    const y2 = f32x4.add(even, f32x4.mul(even2, four));
    const y3 = f32x4.add(f32x4.add(odd, f32x4.mul(odd2, eight)), v128.load(m + 5 * pointBytes));
    v128.store(out, f32x4.max(y0, zero));
    v128.store(out + stepBytes, f32x4.max(y1, zero));
    v128.store(out + 2 * stepBytes, f32x4.max(y2, zero));
    v128.store(out + 3 * stepBytes, f32x4.max(y3, zero));
  }
}
