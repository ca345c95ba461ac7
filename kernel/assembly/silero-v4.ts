// Silero v4 at 16 kHz: the probability of speech in a frame of 1536 samples.
//
//   1536 samples, 96 more mirrored onto each end
//   -> 24 spectra of 129 magnitudes m (256 samples, one every 64)
//   -> features: m, and log(1 + 2^20 m) less its mean over the whole frame
//   -> four blocks, each with half the time steps of the one before: 24 -> 12 -> 6 -> 3 -> 3
//   -> two LSTMs of 64 values, one on the other, over the three steps, which carry the state
//   -> Relu -> one weighted sum -> sigmoid, averaged over the three steps.
//
// A block is Relu(pointwise(d) + project(x)), d = Relu(depthwise(x)), and one more 1x1 convolution
// with Relu. The depthwise convolution (five taps, each channel for itself) is the only one that
// looks at neighbouring time steps. The last 1x1 convolution of the first three blocks takes every
// second step, so half of everything behind the depthwise convolution's inputs is never used, and
// never computed here.
//
// Rows are `[time step][channel]`. A block's depthwise results go into the rows right before the
// steps they belong to, so that both lie side by side as one column for one matrix, `[pointwise |
// project]`.

import { magnitudes, prepareFourier } from './fourier';
import { lstmStep } from './lstm';
import { log, sigmoid, sum } from './math';
import { product3 } from './product';
import { sanitise } from './samples';
import { prepareLists } from './sparse';
import { highHalves, interleavedHigh, interleavedLow, lowHalves } from './vectors';
import { expand, FIXED_SCALE, FIXED_SHIFT, SMALL_SCALE, SMALL_SHIFT } from './weights';

export { checksum } from './weights';

const FRAME_SAMPLES: usize = 1536;
const MIRRORED: usize = 96;
const STEPS: usize = 24;
/** 129 bins and three that are always zero. */
const BINS: usize = 132;
/** Channels of the first block: magnitudes, then logarithms. */
const FEATURES: usize = 2 * BINS;

// Matrix weights, in the order in which they come over the wire: `[pointwise | project]` and the
// 1x1 convolution behind it, for each block; then the LSTMs', first those for their inputs. The
// third block adds its input as it is: its `project` is the identity.
const MIX_0: usize = 16 * 2 * FEATURES;
const AFTER_0: usize = 16 * 16;
const MIX_1: usize = 32 * 32;
const AFTER_1: usize = 32 * 32;
const MIX_2: usize = 32 * 64;
const AFTER_2: usize = 32 * 32;
const MIX_3: usize = 64 * 64;
const AFTER_3: usize = 64 * 64;
/** An LSTM's matrix over its inputs, and the one over its hidden values. */
const GATES: usize = 256 * 64;
/** How many weights come in 16 bits each. */
export const MATRIX_COUNT: usize =
  MIX_0 + AFTER_0 + MIX_1 + AFTER_1 + MIX_2 + AFTER_2 + MIX_3 + AFTER_3 + 4 * GATES;

// What comes as floats: each block's depthwise bias and five taps, `[6][channels]`, its other two
// biases; the LSTMs' biases, the output layer, and the weight of each time step in the logarithms'
// mean.
const DEPTHWISE_0: usize = 6 * FEATURES;
const VECTORS_0: usize = DEPTHWISE_0 + 16 + 16;
const VECTORS_1: usize = 6 * 16 + 32 + 32;
const VECTORS_2: usize = 6 * 32 + 32 + 32;
const VECTORS_3: usize = 6 * 32 + 64 + 64;
export const VECTOR_COUNT: usize =
  VECTORS_0 + VECTORS_1 + VECTORS_2 + VECTORS_3 + 2 * 256 + 64 + 4 + STEPS;

/** Where the host puts them: planes of bytes, see weights.ts. */
export const WIRE = memory.data(i32(MATRIX_COUNT) * 2, 16);
/** The matrix weights as floats; the host may put them here itself. */
export const MATRICES = memory.data(i32(MATRIX_COUNT) * 4, 16);
/** The other weights; put here by the host. */
export const VECTORS = memory.data(i32(VECTOR_COUNT) * 4, 16);
/** The frame between its mirrored ends; put here by the host. */
const PADDED = memory.data((96 + 1536 + 96) * 4, 16);
export const FRAME: usize = PADDED + MIRRORED * 4;
/** The probability after `infer`. */
export const PROBABILITIES = memory.data(16, 16);
export const PROBABILITY_COUNT: usize = 1;

const MATRICES_1: usize = MATRICES + (MIX_0 + AFTER_0) * 4;
const MATRICES_2: usize = MATRICES_1 + (MIX_1 + AFTER_1) * 4;
const MATRICES_3: usize = MATRICES_2 + (MIX_2 + AFTER_2) * 4;
const INPUT_WEIGHTS: usize = MATRICES_3 + (MIX_3 + AFTER_3) * 4;
const RECURRENT_WEIGHTS: usize = INPUT_WEIGHTS + 2 * GATES * 4;
const BIASES_1: usize = VECTORS + VECTORS_0 * 4;
const BIASES_2: usize = BIASES_1 + VECTORS_1 * 4;
const BIASES_3: usize = BIASES_2 + VECTORS_2 * 4;
const LSTM_BIAS: usize = BIASES_3 + VECTORS_3 * 4;
const OUTPUT_WEIGHTS: usize = LSTM_BIAS + 2 * 256 * 4;
const OUTPUT_BIAS: usize = OUTPUT_WEIGHTS + 64 * 4;
const MEAN_WEIGHTS: usize = OUTPUT_BIAS + 4 * 4;

/** Four spectra, `f32[132][4]`: time steps side by side. The last three bins stay zero. */
const SPECTRA = memory.data(132 * 16, 16);
/** The logarithms of all, `f32[6][132][4]`. */
const LOGARITHMS = memory.data(6 * 132 * 16, 16);

// Each block's input rows. Before and behind them the depthwise convolution meets two steps of
// zeros. In the last block, which uses every step, the steps lie two rows apart to leave room for
// the depthwise results.
const ROWS_0 = memory.data((2 + 24 + 1) * 264 * 4, 16) + 2 * 264 * 4;
const ROWS_1 = memory.data((2 + 12 + 1) * 16 * 4, 16) + 2 * 16 * 4;
const ROWS_2 = memory.data((2 + 6 + 1) * 32 * 4, 16) + 2 * 32 * 4;
const ROWS_3 = memory.data((4 + 2 * 3 + 4) * 32 * 4, 16) + 4 * 32 * 4;
/**
 * A block's result in front of its last convolution, `f32[12][16]`, `f32[6][32]`, `f32[3][64]` at
 * most.
 */
const MIXED = memory.data(12 * 16 * 4, 16);
/** What the blocks give, `f32[3][64]`. */
const ENCODED = memory.data(3 * 64 * 4, 16);
/** Two may hear, one after the other, with the same weights: each has a state of its own. */
export const HEARINGS: usize = 2;
/** A state: `f32[2][64]` hidden, `f32[2][64]` of the cells. */
const STATE_BYTES: usize = 2 * 2 * 64 * 4;
const STATES = memory.data(2 * 2 * 2 * 64 * 4, 16);

/** Makes the weights ready; they lie at `WIRE`, in 16 bits each, or are at `MATRICES` already. */
export function prepare(isPacked: bool): void {
  prepareFourier();
  prepareLists();
  if (!isPacked) return;
  // The recurrent matrices come as fixed point, the others as small floats.
  const count: usize = MATRIX_COUNT - 2 * GATES;
  expand(WIRE, MATRIX_COUNT, count, MATRICES, SMALL_SHIFT, SMALL_SCALE);
  const last = WIRE + count;
  expand(last, MATRIX_COUNT, 2 * GATES, RECURRENT_WEIGHTS, FIXED_SHIFT, FIXED_SCALE);
}

/** Has a hearing, 0 or 1, forget the past. */
export function reset(hearing: usize): void {
  memory.fill(STATES + hearing * STATE_BYTES, 0, STATE_BYTES);
}

/** Runs the model over the frame at `FRAME` for a hearing, 0 or 1. */
export function infer(hearing: usize): f32 {
  const hidden = STATES + hearing * STATE_BYTES;
  sanitise(FRAME, FRAME_SAMPLES);
  mirrorEnds();
  subtractMean(spectra());
  block(ROWS_0, FEATURES, STEPS / 2, 1, VECTORS, MATRICES, 16, ROWS_1, 16 * 4);
  block(ROWS_1, 16, 6, 1, BIASES_1, MATRICES_1, 32, ROWS_2, 32 * 4);
  block(ROWS_2, 32, 3, 1, BIASES_2, MATRICES_2, 32, ROWS_3, 2 * 32 * 4);
  block(ROWS_3, 32, 3, 2, BIASES_3, MATRICES_3, 64, ENCODED, 64 * 4);

  let total: f32 = 0;
  for (let x = ENCODED; x < ENCODED + 3 * 64 * 4; x += 64 * 4) {
    lstm(0, x, hidden);
    lstm(1, hidden, hidden);
    total += sigmoid(outputSum(hidden + 64 * 4));
  }
  const probability: f32 = total / 3;
  store<f32>(PROBABILITIES, probability);
  return probability;
}

/** One step of the first or the second LSTM, 0 or 1. */
function lstm(layer: usize, x: usize, hidden: usize): void {
  const matrix = layer * GATES * 4;
  const state = layer * 64 * 4;
  lstmStep(
    INPUT_WEIGHTS + matrix, RECURRENT_WEIGHTS + matrix, LSTM_BIAS + layer * 256 * 4,
    x, hidden + state, hidden + 2 * 64 * 4 + state, 64,
  );
}

/** Samples 96 to 1 in front of the frame, 1534 to 1439 behind it. */
function mirrorEnds(): void {
  const end = FRAME + FRAME_SAMPLES * 4;
  for (let i: usize = 0; i < MIRRORED; i += 4) {
    const front = v128.load(FRAME + (MIRRORED - 3 - i) * 4);
    v128.store(PADDED + i * 4, v128.shuffle<f32>(front, front, 3, 2, 1, 0));
    const back = v128.load(end - (5 + i) * 4);
    v128.store(end + i * 4, v128.shuffle<f32>(back, back, 3, 2, 1, 0));
  }
}

/**
 * The magnitudes into their rows, the logarithms aside, and the logarithms' mean over the frame.
 * The graph takes the mean over the bins, smooths it over seven time steps, mirrored at the ends,
 * and takes the mean of that: together a weighted sum, whose weights the build works out.
 */
function spectra(): f32 {
  const one = f32x4.splat(1);
  const scale = f32x4.splat(1048576);
  let mean = f32x4.splat(0);
  let logarithms = LOGARITHMS;
  for (let step: usize = 0; step < STEPS; step += 4) {
    const at = PADDED + step * 64 * 4;
    magnitudes(at, at + 64 * 4, at + 128 * 4, at + 192 * 4, SPECTRA);
    rows(SPECTRA, ROWS_0 + step * FEATURES * 4, 0);

    let total = f32x4.splat(0);
    for (let x = SPECTRA; x < SPECTRA + BINS * 16; x += 16, logarithms += 16) {
      const value = log(f32x4.add(f32x4.mul(v128.load(x), scale), one));
      v128.store(logarithms, value);
      total = f32x4.add(total, value);
    }
    mean = f32x4.add(mean, f32x4.mul(total, v128.load(MEAN_WEIGHTS + step * 4)));
  }
  return sum(mean);
}

/** The logarithms, less their mean, into their rows. */
function subtractMean(mean: f32): void {
  for (let step: usize = 0; step < STEPS; step += 4) {
    rows(LOGARITHMS + step * BINS * 4, ROWS_0 + (step * FEATURES + BINS) * 4, mean);
  }
}

/** Four spectra side by side, `x[bin][4 steps]`, less a number, as parts of four rows. */
function rows(x: usize, out: usize, less: f32): void {
  const mean = f32x4.splat(less);
  for (const end = out + BINS * 4; out < end; out += 16, x += 64) {
    const a = f32x4.sub(v128.load(x), mean);
    const b = f32x4.sub(v128.load(x, 16), mean);
    const c = f32x4.sub(v128.load(x, 32), mean);
    const d = f32x4.sub(v128.load(x, 48), mean);
    const abLow = interleavedLow(a, b);
    const abHigh = interleavedHigh(a, b);
    const cdLow = interleavedLow(c, d);
    const cdHigh = interleavedHigh(c, d);
    v128.store(out, lowHalves(abLow, cdLow));
    v128.store(out + FEATURES * 4, highHalves(abLow, cdLow));
    v128.store(out + 2 * FEATURES * 4, lowHalves(abHigh, cdHigh));
    v128.store(out + 3 * FEATURES * 4, highHalves(abHigh, cdHigh));
  }
}

/**
 * One block, for `steps` (a multiple of 3) of its time steps, two rows apart; neighbouring steps
 * lie `apart` rows from one another.
 */
function block(
  x: usize, channels: usize, steps: usize, apart: usize,
  vectors: usize, matrices: usize, outputs: usize, out: usize, outStride: usize,
): void {
  const row = channels * 4;
  depthwise(x, row, steps, apart * row, vectors);

  const mixBias = vectors + 6 * row;
  const afterBias = mixBias + outputs * 4;
  const after = matrices + 2 * row * outputs;
  for (let step: usize = 0; step < steps; step += 3) {
    const mixed = MIXED + step * outputs * 4;
    const pair = x + (2 * step - 1) * row;
    product3(matrices, 2 * channels, outputs, pair, 2 * row, mixBias, 0, mixed, outputs * 4);
    product3(
      after, outputs, outputs, mixed, outputs * 4, afterBias, 0, out + step * outStride, outStride,
    );
  }
}

/**
 * Five taps over time with Relu, each channel for itself; a step's result goes into the row before
 * it.
 */
function depthwise(x: usize, row: usize, steps: usize, apart: usize, weights: usize): void {
  // The first result of the last frame stands where the step before the first is read as zero.
  memory.fill(x - row, 0, row);
  const zero = f32x4.splat(0);
  for (const end = x + row; x < end; x += 16, weights += 16) {
    const bias = v128.load(weights);
    const w0 = v128.load(weights + row);
    const w1 = v128.load(weights + 2 * row);
    const w2 = v128.load(weights + 3 * row);
    const w3 = v128.load(weights + 4 * row);
    const w4 = v128.load(weights + 5 * row);
    let at = x;
    for (let step: usize = 0; step < steps; step++, at += 2 * row) {
      const early = f32x4.add(
        f32x4.mul(v128.load(at - 2 * apart), w0),
        f32x4.mul(v128.load(at - apart), w1),
      );
      const late = f32x4.add(
        f32x4.mul(v128.load(at + apart), w3),
        f32x4.mul(v128.load(at + 2 * apart), w4),
      );
      const middle = f32x4.add(f32x4.mul(v128.load(at), w2), bias);
      v128.store(at - row, f32x4.max(f32x4.add(f32x4.add(early, late), middle), zero));
    }
  }
}

/** The output layer before its sigmoid: Relu(hidden) times weights, plus bias. */
function outputSum(hidden: usize): f32 {
  const zero = f32x4.splat(0);
  let total = zero;
  for (let at: usize = 0; at < 64 * 4; at += 16) {
    const active = f32x4.max(v128.load(hidden + at), zero);
    total = f32x4.add(total, f32x4.mul(active, v128.load(OUTPUT_WEIGHTS + at)));
  }
  return sum(total) + load<f32>(OUTPUT_BIAS);
}
