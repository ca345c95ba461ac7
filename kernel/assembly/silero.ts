// Silero at 16 kHz: the probability of speech in each of a frame's three windows of 512
// samples.
//
// A window is inferred with the 64 samples before it:
//   576 samples, 64 more mirrored onto the end
//   -> four spectra of 129 magnitudes (256 samples, one every 128)
//   -> convolution over time, 129 -> 128, 3 taps, Relu: four steps
//   -> 128 -> 64, 3 taps, every second step, Relu: two steps
//   -> 64 -> 64, 3 taps, every second step, Relu: one step
//   -> 64 -> 128, 3 taps, Relu
//   -> LSTM of 128 values, which carries the state -> Relu -> one weighted sum -> sigmoid.
//
// Beyond the ends of the time axis the convolutions see zeros, so many of their taps are never
// used: the first tap of the third convolution, the outer two of the fourth. They are not even
// shipped.
//
// The first convolution, half of the work, is done for the three windows together (product.ts);
// what comes behind it meets so many zeros that each window goes its own way (sparse.ts). Rows are
// `[window][channel]` or `[window][time step][channel]`.

import { magnitudes, prepareFourier } from './fourier';
import { lstmStep } from './lstm';
import { sigmoid, sum } from './math';
import { product3 } from './product';
import { sanitise } from './samples';
import { COLUMN, LIST, list, prepareLists, sumListed } from './sparse';
import { expand, FIXED_SCALE, FIXED_SHIFT, SMALL_SCALE, SMALL_SHIFT } from './weights';
import { inverseTransform, POINTS, prepareTaps, transform } from './winograd';

export { checksum } from './weights';

const CONTEXT: usize = 64;
const WINDOW: usize = 512;
const WINDOWS: usize = 3;
const FRAME_SAMPLES: usize = WINDOWS * WINDOW;
/** 129 bins, and one that is always zero: product.ts takes them in pairs. */
const BINS: usize = 130;

// Matrix weights, in the order in which they come over the wire.
const TAPS: usize = 3 * 128 * BINS;
const SECOND: usize = 3 * 128 * 64;
const THIRD: usize = 2 * 64 * 64;
const FOURTH: usize = 64 * 128;
const INPUT: usize = 128 * 512;
const RECURRENT: usize = 128 * 512;
/** The number of weights that come in 16 bits each. */
export const MATRIX_COUNT: usize = TAPS + SECOND + THIRD + FOURTH + INPUT + RECURRENT;
/**
 * The number that come as floats: biases (128, 64, 64, 128, 512), the output layer's weights (128) and
 * bias.
 */
export const VECTOR_COUNT: usize = 128 + 64 + 64 + 128 + 512 + 128 + 4;

/** Where the host puts them: planes of bytes, see weights.ts. */
export const WIRE = memory.data(i32(MATRIX_COUNT) * 2, 16);
/** The matrix weights as floats; the host may put them here itself. */
export const MATRICES = memory.data(i32(MATRIX_COUNT) * 4, 16);
/** The biases and the output layer; put here by the host. */
export const VECTORS = memory.data(i32(VECTOR_COUNT) * 4, 16);
/** The frame, put here by the host, behind its context: the 64 samples before it. */
const HISTORY = memory.data((64 + 1536) * 4, 16);
export const FRAME: usize = HISTORY + CONTEXT * 4;
/** The three windows' probabilities after `infer`. */
export const PROBABILITIES = memory.data(16, 16);
export const PROBABILITY_COUNT: usize = WINDOWS;

const SECOND_WEIGHTS: usize = MATRICES + TAPS * 4;
const THIRD_WEIGHTS: usize = SECOND_WEIGHTS + SECOND * 4;
const FOURTH_WEIGHTS: usize = THIRD_WEIGHTS + THIRD * 4;
const INPUT_WEIGHTS: usize = FOURTH_WEIGHTS + FOURTH * 4;
const RECURRENT_WEIGHTS: usize = INPUT_WEIGHTS + INPUT * 4;
const FIRST_BIAS: usize = VECTORS;
const SECOND_BIAS: usize = FIRST_BIAS + 128 * 4;
const THIRD_BIAS: usize = SECOND_BIAS + 64 * 4;
const FOURTH_BIAS: usize = THIRD_BIAS + 64 * 4;
const LSTM_BIAS: usize = FOURTH_BIAS + 128 * 4;
const OUTPUT_WEIGHTS: usize = LSTM_BIAS + 512 * 4;
const OUTPUT_BIAS: usize = OUTPUT_WEIGHTS + 128 * 4;

/**
 * The first convolution's weights for each of Winograd's six points: `f32[6][128 / 8][130][8]`.
 * They lie where what came over the wire was, which is larger, and has been read by then.
 */
const POINT_WEIGHTS = WIRE;
const POINT_BYTES: usize = 128 * BINS * 4;

/** The end of a window's samples, with its mirror image: the fourth spectrum's 256 samples. */
const TAIL = memory.data(256 * 4, 16);
/**
 * One window's spectra, `f32[132][4]`: the time steps side by side. The last three bins stay zero.
 */
const SPECTRA = memory.data(132 * 16, 16);
/** The transformed spectra, `f32[6][3][132]`. */
const TRANSFORMED = memory.data(6 * 3 * 132 * 4, 16);
/** Their products with the weights, `f32[6][3][128]`. */
const PRODUCTS = memory.data(6 * 3 * 128 * 4, 16);
/** Nothing to begin a sum with. */
const ZEROS = memory.data(128 * 4, 16);
/**
 * The convolutions' results: `f32[3][4][128]`, one window's `f32[2][64]` and `f32[64]`,
 * `f32[3][128]`.
 */
const AFTER_FIRST = memory.data(3 * 4 * 128 * 4, 16);
const AFTER_SECOND = memory.data(2 * 64 * 4, 16);
const AFTER_THIRD = memory.data(64 * 4, 16);
const AFTER_FOURTH = memory.data(3 * 128 * 4, 16);
/** The running states: two passes over the sound go by the same weights, in turn. */
export const STATE_COUNT: usize = 2;
/** A state: `f32[128]` hidden, `f32[128]` of the cell, the context of the frame to come. */
const STATE_BYTES: usize = (128 + 128 + CONTEXT) * 4;
const STATES = memory.data(2 * (128 + 128 + 64) * 4, 16);

/** Makes the weights ready; they lie at `WIRE`, in 16 bits each, or are at `MATRICES` already. */
export function prepare(isPacked: bool): void {
  prepareFourier();
  prepareLists();
  if (isPacked) unpack();
  prepareTaps(MATRICES, POINT_BYTES, POINT_WEIGHTS);
}

/** The recurrent matrix comes as fixed point, the others as small floats. */
function unpack(): void {
  const count: usize = MATRIX_COUNT - RECURRENT;
  expand(WIRE, MATRIX_COUNT, count, MATRICES, SMALL_SHIFT, SMALL_SCALE);
  const last = WIRE + count;
  expand(last, MATRIX_COUNT, RECURRENT, RECURRENT_WEIGHTS, FIXED_SHIFT, FIXED_SCALE);
}

/** Clears a running state, 0 or 1. */
export function reset(state: usize): void {
  memory.fill(STATES + state * STATE_BYTES, 0, STATE_BYTES);
}

/**
 * Runs the model over the frame at `FRAME` with a running state, 0 or 1: the largest probability of its
 * three windows.
 */
export function infer(state: usize): f32 {
  const hidden = STATES + state * STATE_BYTES;
  const cell = hidden + 128 * 4;
  const context = cell + 128 * 4;
  sanitise(FRAME, FRAME_SAMPLES);
  memory.copy(HISTORY, context, CONTEXT * 4);
  for (let window: usize = 0; window < WINDOWS; window++) {
    const samples = HISTORY + window * WINDOW * 4;
    mirrorTail(samples);
    magnitudes(samples, samples + 128 * 4, samples + 256 * 4, TAIL, SPECTRA);
    transform(SPECTRA, TRANSFORMED + window * 132 * 4, 3 * 132 * 4, 132);
  }
  memory.copy(context, HISTORY + FRAME_SAMPLES * 4, CONTEXT * 4);
  encode();

  let largest: f32 = 0;
  for (let window: usize = 0; window < WINDOWS; window++) {
    const x = AFTER_FOURTH + window * 128 * 4;
    lstmStep(INPUT_WEIGHTS, RECURRENT_WEIGHTS, LSTM_BIAS, x, hidden, cell, 128);
    const probability = sigmoid(outputSum(hidden));
    store<f32>(PROBABILITIES + window * 4, probability);
    largest = max(largest, probability);
  }
  return largest;
}

/** Samples 384 to 575 of a window and its context, then 574 down to 511. */
function mirrorTail(samples: usize): void {
  memory.copy(TAIL, samples + 384 * 4, 192 * 4);
  for (let i: usize = 0; i < 64; i += 4) {
    const v = v128.load(samples + (571 - i) * 4);
    v128.store(TAIL + (192 + i) * 4, v128.shuffle<f32>(v, v, 3, 2, 1, 0));
  }
}

/** The four convolutions, from the transformed spectra to the LSTM's inputs. */
function encode(): void {
  for (let point: usize = 0; point < POINTS; point++) {
    product3(
      POINT_WEIGHTS + point * POINT_BYTES, BINS, 128,
      TRANSFORMED + point * 3 * 132 * 4, 132 * 4,
      ZEROS,
      PRODUCTS + point * 3 * 128 * 4, 128 * 4,
    );
  }
  for (let window: usize = 0; window < WINDOWS; window++) {
    inverseTransform(
      PRODUCTS + window * 128 * 4, 3 * 128 * 4, FIRST_BIAS,
      AFTER_FIRST + window * 4 * 128 * 4, 128,
    );
  }

  for (let window: usize = 0; window < WINDOWS; window++) {
    const first = AFTER_FIRST + window * 4 * 128 * 4;
    const step1 = list(first, 128, 0, LIST);
    const step2 = list(first + 128 * 4, 128, 128 * COLUMN, step1);
    const step4 = list(first + 2 * 128 * 4, 256, 256 * COLUMN, step2);
    // A tap later is 128 columns on. The first sum is over a zero and steps 0 and 1, so step 0
    // meets the second tap; the second is over steps 1, 2 and 3, so step 1, listed as column 128,
    // meets the first.
    const tap: usize = 128 * COLUMN;
    sumListed(SECOND_WEIGHTS + tap, 3 * tap, 64, LIST, step2, SECOND_BIAS, 0, AFTER_SECOND);
    sumListed(SECOND_WEIGHTS - tap, 3 * tap, 64, step1, step4, SECOND_BIAS, 0, AFTER_SECOND + 64 * 4);

    // The third convolution's one sum is over a zero and both steps.
    let end = list(AFTER_SECOND, 128, 0, LIST);
    sumListed(THIRD_WEIGHTS, 128 * COLUMN, 64, LIST, end, THIRD_BIAS, 0, AFTER_THIRD);
    end = list(AFTER_THIRD, 64, 0, LIST);
    const fourth = AFTER_FOURTH + window * 128 * 4;
    sumListed(FOURTH_WEIGHTS, 64 * COLUMN, 128, LIST, end, FOURTH_BIAS, 0, fourth);
  }
}

/** The output layer before its sigmoid: Relu(hidden) times weights, plus bias. */
function outputSum(hidden: usize): f32 {
  const zero = f32x4.splat(0);
  let total = zero;
  for (let at: usize = 0; at < 128 * 4; at += 16) {
    const active = f32x4.max(v128.load(hidden + at), zero);
    total = f32x4.add(total, f32x4.mul(active, v128.load(OUTPUT_WEIGHTS + at)));
  }
  return sum(total) + load<f32>(OUTPUT_BIAS);
}
