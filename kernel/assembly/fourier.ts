// The magnitude spectrum of 256 real samples under a periodic Hann window, for four signals at
// once: each lane of a vector belongs to one signal, so the transform itself needs no shuffles.
//
// Silero's graph does this as a convolution with 258 filters of 256 taps: rows cos and -sin of a
// DFT, times the window. The build checks that the filters are just that.
//
// The real transform of 256 samples is the complex one of 128 values z[n] = x[2n] + i x[2n + 1],
// taken apart at the end: with E = Z[k] + conj Z[128 - k] and D = Z[k] - conj Z[128 - k],
//   2 X[k] = E - i W^k D  and  2 conj X[128 - k] = E + i W^k D,  W = e^(-2 pi i / 256).
// The factor 2 is taken off beforehand, in the window.

import { highHalves, interleavedHigh, interleavedLow, lowHalves } from './vectors';

const SIZE: usize = 256;
const VECTOR: usize = 16;
/** A complex value of four signals: the real parts, then the imaginary parts. */
const COMPLEX: usize = 2 * VECTOR;

/** Half the Hann window, `f32[256]`. */
const WINDOW = memory.data(256 * 4, 16);
/** W^k for k = 0 to 255: real and imaginary part, `f32[256][2]`. */
const ROOTS = memory.data(256 * 8, 16);
/** The two sides of the transform: each pass reads one and writes the other. */
const PING = memory.data(128 * 32, 16);
const PONG = memory.data(128 * 32, 16);

/**
 * Fills the tables; doubles, so that every entry is right to the last bit of a float or the one
 * before.
 */
export function prepareFourier(): void {
  const stepRe: f64 = 0.9996988186962042; // cos(2 pi / 256)
  const stepIm: f64 = -0.024541228522912288; // -sin(2 pi / 256)
  let re: f64 = 1;
  let im: f64 = 0;
  for (let k: usize = 0; k < SIZE; k++) {
    store<f32>(ROOTS + k * 8, f32(re));
    store<f32>(ROOTS + k * 8, f32(im), 4);
    store<f32>(WINDOW + k * 4, f32(0.25 - 0.25 * re));
    const next = re * stepRe - im * stepIm;
    im = re * stepIm + im * stepRe;
    re = next;
  }
}

/**
 * Magnitudes of four signals that begin at the given addresses: `out[bin][signal]`, bins 0 to 128.
 */
export function magnitudes(first: usize, second: usize, third: usize, fourth: usize, out: usize): void {
  loadWindowed(first, second, third, fourth);
  radix4(PING, PONG, 32, 1);
  radix4(PONG, PING, 8, 4);
  radix4(PING, PONG, 2, 16);
  separate(PONG, out);
}

/**
 * Windows the signals and puts them side by side. Even and odd samples fall into place as re and
 * im.
 */
function loadWindowed(first: usize, second: usize, third: usize, fourth: usize): void {
  for (let at: usize = 0; at < SIZE * 4; at += VECTOR) {
    const window = v128.load(WINDOW + at);
    const a = f32x4.mul(v128.load(first + at), window);
    const b = f32x4.mul(v128.load(second + at), window);
    const c = f32x4.mul(v128.load(third + at), window);
    const d = f32x4.mul(v128.load(fourth + at), window);
    const abLow = interleavedLow(a, b);
    const abHigh = interleavedHigh(a, b);
    const cdLow = interleavedLow(c, d);
    const cdHigh = interleavedHigh(c, d);
    const to = PING + at * 4;
    v128.store(to, lowHalves(abLow, cdLow));
    v128.store(to, highHalves(abLow, cdLow), 16);
    v128.store(to, lowHalves(abHigh, cdHigh), 32);
    v128.store(to, highHalves(abHigh, cdHigh), 48);
  }
}

/**
 * One pass of a decimation-in-frequency transform in Stockham's order, which sorts as it goes:
 * `span` transforms of 4 `quarter` values become 4 `span` of `quarter` values.
 */
function radix4(from: usize, to: usize, quarter: usize, span: usize): void {
  const row = span * COMPLEX;
  const apart = quarter * row;
  // The first values' roots of unity are all 1.
  const one = f32x4.splat(1);
  for (let x = from, y = to; x < from + row; x += COMPLEX, y += COMPLEX) {
    butterfly(x, apart, y, row, false, one, one, one, one, one, one);
  }
  for (let p: usize = 1; p < quarter; p++) {
    // W_n^p of a transform of n = 4 quarter values is W_256^(64 p / quarter).
    const root = ROOTS + (p * 512) / quarter;
    const root2 = ROOTS + (p * 1024) / quarter;
    const root3 = ROOTS + (p * 1536) / quarter;
    const re1 = v128.load32_splat(root);
    const im1 = v128.load32_splat(root, 4);
    const re2 = v128.load32_splat(root2);
    const im2 = v128.load32_splat(root2, 4);
    const re3 = v128.load32_splat(root3);
    const im3 = v128.load32_splat(root3, 4);
    let y = to + p * 4 * row;
    for (let x = from + p * row, end = x + row; x < end; x += COMPLEX, y += COMPLEX) {
      butterfly(x, apart, y, row, true, re1, im1, re2, im2, re3, im3);
    }
  }
}

/**
 * Four values at `x`, `apart` from one another, make four at `y`, a `row` apart, times their roots.
 */
@inline
function butterfly(
  x: usize, apart: usize, y: usize, row: usize, isTurned: bool,
  re1: v128, im1: v128, re2: v128, im2: v128, re3: v128, im3: v128,
): void {
  const aRe = v128.load(x);
  const aIm = v128.load(x, 16);
  const bRe = v128.load(x + apart);
  const bIm = v128.load(x + apart, 16);
  const cRe = v128.load(x + 2 * apart);
  const cIm = v128.load(x + 2 * apart, 16);
  const dRe = v128.load(x + 3 * apart);
  const dIm = v128.load(x + 3 * apart, 16);

  const sumAcRe = f32x4.add(aRe, cRe);
  const sumAcIm = f32x4.add(aIm, cIm);
  const sumBdRe = f32x4.add(bRe, dRe);
  const sumBdIm = f32x4.add(bIm, dIm);
  storeTimes(y, f32x4.add(sumAcRe, sumBdRe), f32x4.add(sumAcIm, sumBdIm), false, re1, im1);
  const y2 = y + 2 * row;
  storeTimes(y2, f32x4.sub(sumAcRe, sumBdRe), f32x4.sub(sumAcIm, sumBdIm), isTurned, re2, im2);

  const difAcRe = f32x4.sub(aRe, cRe);
  const difAcIm = f32x4.sub(aIm, cIm);
  const difBdRe = f32x4.sub(bRe, dRe);
  const difBdIm = f32x4.sub(bIm, dIm);
  const y1 = y + row;
  storeTimes(y1, f32x4.add(difAcRe, difBdIm), f32x4.sub(difAcIm, difBdRe), isTurned, re1, im1);
  const y3 = y + 3 * row;
  storeTimes(y3, f32x4.sub(difAcRe, difBdIm), f32x4.add(difAcIm, difBdRe), isTurned, re3, im3);
}

/** Stores a value, times a root when it is to be turned. */
@inline
function storeTimes(
  to: usize, re: v128, im: v128, isTurned: bool, rootRe: v128, rootIm: v128,
): void {
  if (isTurned) {
    v128.store(to, f32x4.sub(f32x4.mul(re, rootRe), f32x4.mul(im, rootIm)));
    v128.store(to, f32x4.add(f32x4.mul(re, rootIm), f32x4.mul(im, rootRe)), 16);
  } else {
    v128.store(to, re);
    v128.store(to, im, 16);
  }
}

/**
 * The last pass (radix 2: Z[k] = z[k] + z[k + 64], Z[k + 64] = z[k] - z[k + 64]) and the real
 * signals' spectrum, in one: four values make the bins k, 64 - k, 64 + k and 128 - k.
 */
function separate(z: usize, out: usize): void {
  const re0 = v128.load(z);
  const im0 = v128.load(z, 16);
  const re64 = v128.load(z + 64 * COMPLEX);
  const im64 = v128.load(z + 64 * COMPLEX, 16);
  const re = f32x4.add(re0, re64);
  const im = f32x4.add(im0, im64);
  const two = f32x4.splat(2);
  v128.store(out, f32x4.mul(two, f32x4.abs(f32x4.add(re, im))));
  v128.store(out + 128 * VECTOR, f32x4.mul(two, f32x4.abs(f32x4.sub(re, im))));
  storeMagnitude(out + 64 * VECTOR, f32x4.mul(two, f32x4.sub(re0, re64)), f32x4.mul(two, f32x4.sub(im0, im64)));

  for (let k: usize = 1; k <= 32; k++) {
    const a = z + k * COMPLEX;
    const c = z + (64 - k) * COMPLEX;
    const aRe = v128.load(a);
    const aIm = v128.load(a, 16);
    const bRe = v128.load(a + 64 * COMPLEX);
    const bIm = v128.load(a + 64 * COMPLEX, 16);
    const cRe = v128.load(c);
    const cIm = v128.load(c, 16);
    const dRe = v128.load(c + 64 * COMPLEX);
    const dIm = v128.load(c + 64 * COMPLEX, 16);
    const rootRe = v128.load32_splat(ROOTS + k * 8);
    const rootIm = v128.load32_splat(ROOTS + k * 8, 4);

    // Z[k] and conj Z[128 - k].
    storePair(
      out + k * VECTOR, out + (128 - k) * VECTOR,
      f32x4.add(aRe, bRe), f32x4.add(aIm, bIm),
      f32x4.sub(cRe, dRe), f32x4.sub(dIm, cIm),
      rootRe, rootIm,
    );
    // Z[64 - k] and conj Z[64 + k]; W^(64 - k) = -i conj W^k.
    storePair(
      out + (64 - k) * VECTOR, out + (64 + k) * VECTOR,
      f32x4.add(cRe, dRe), f32x4.add(cIm, dIm),
      f32x4.sub(aRe, bRe), f32x4.sub(bIm, aIm),
      f32x4.neg(rootIm), f32x4.neg(rootRe),
    );
  }
}

/** |E - i W D| and |E + i W D| for E = Z + Y, D = Z - Y. */
@inline
function storePair(
  to: usize, mirrored: usize,
  zRe: v128, zIm: v128, yRe: v128, yIm: v128, rootRe: v128, rootIm: v128,
): void {
  const eRe = f32x4.add(zRe, yRe);
  const eIm = f32x4.add(zIm, yIm);
  const dRe = f32x4.sub(zRe, yRe);
  const dIm = f32x4.sub(zIm, yIm);
  const tRe = f32x4.add(f32x4.mul(rootRe, dIm), f32x4.mul(rootIm, dRe));
  const tIm = f32x4.sub(f32x4.mul(rootIm, dIm), f32x4.mul(rootRe, dRe));
  storeMagnitude(to, f32x4.add(eRe, tRe), f32x4.add(eIm, tIm));
  storeMagnitude(mirrored, f32x4.sub(eRe, tRe), f32x4.sub(eIm, tIm));
}

@inline
function storeMagnitude(to: usize, re: v128, im: v128): void {
  v128.store(to, f32x4.sqrt(f32x4.add(f32x4.mul(re, re), f32x4.mul(im, im))));
}
