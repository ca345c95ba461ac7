import type { BlockWeights, SileroV4Weights } from '../onnx/silero-v4.ts';
import { beside, blocks, type Matrix, matrixOf, recurrentBlocks, widened } from './blocks.ts';
import type { KernelMatrix, KernelWeights } from './kernel-weights.ts';

/** Bins of a spectrum, and as many as the kernel keeps room for. */
const BINS = 129;
const WIDE_BINS = 132;
/** Time steps of a frame. */
const STEPS = 24;

/** Silero v4's weights in the order of kernel/assembly/silero-v4.ts. */
export function layoutV4(weights: SileroV4Weights): KernelWeights {
  const [first, ...others] = weights.blocks;
  return {
    matrices: [
      blocks(beside(spread(first.pointwise.weight), spread(first.project.weight)), 8),
      ...afterOf(first),
      ...others.flatMap((block) => [blocks(mixOf(block), 8), ...afterOf(block)]),
      ...weights.lstms.map((lstm) => blocks(matrixOf(lstm.input, 256, 64), 32)),
      ...weights.lstms.map((lstm) => recurrentBlocks(matrixOf(lstm.hidden, 256, 64), 32)),
    ],
    vectors: [
      ...vectorsOf(first, spreadChannels),
      ...others.flatMap((block) => vectorsOf(block, (values) => values)),
      ...weights.lstms.map((lstm) => lstm.bias),
      weights.output.weight,
      Float32Array.of(weights.output.bias[0] ?? Number.NaN, 0, 0, 0),
      meanWeights(weights.smoothing),
    ],
  };
}

/**
 * The first block's inputs, magnitudes and logarithms, each followed by the bins that are always
 * zero.
 */
function spread(weight: Float32Array): Matrix {
  const matrix = matrixOf(weight, 16, 2 * BINS);
  const half = (from: number): Matrix => ({
    rows: 16,
    columns: BINS,
    at: (row, column) => matrix.at(row, from + column),
  });
  return beside(widened(half(0), WIDE_BINS), widened(half(BINS), WIDE_BINS));
}

function spreadChannels(values: Float32Array): Float32Array {
  const wide = new Float32Array(2 * WIDE_BINS);
  wide.set(values.subarray(0, BINS));
  wide.set(values.subarray(BINS), WIDE_BINS);
  return wide;
}

/** `[pointwise | project]`; a block without a projection adds its input as it is: the identity. */
function mixOf(block: BlockWeights): Matrix {
  const rows = block.pointwise.bias.length;
  const columns = block.depthwise.bias.length;
  const project: Matrix = block.project
    ? matrixOf(block.project.weight, rows, columns)
    : { rows, columns, at: (row, column) => (row === column ? 1 : 0) };
  return beside(matrixOf(block.pointwise.weight, rows, columns), project);
}

function afterOf(block: BlockWeights): KernelMatrix[] {
  const size = block.after.bias.length;
  return [blocks(matrixOf(block.after.weight, size, size), 8)];
}

/**
 * The depthwise bias and taps, a row of channels each; the sum's two biases, which act as one; the
 * last.
 */
function vectorsOf(
  block: BlockWeights,
  arrange: (values: Float32Array) => Float32Array,
): Float32Array[] {
  const { weight, bias } = block.depthwise;
  const taps = [0, 1, 2, 3, 4].map((tap) => weight.filter((_, index) => index % 5 === tap));
  const projected = block.project?.bias;
  return [
    ...[bias, ...taps].map(arrange),
    block.pointwise.bias.map((value, row) => value + (projected?.[row] ?? 0)),
    block.after.bias,
  ];
}

/**
 * How much the sum over the bins at each time step weighs in the mean that is taken off the
 * logarithms: mean over bins, seven-tap smoothing mirrored at both ends, mean over time.
 */
function meanWeights(smoothing: Float32Array): Float32Array {
  const weights = new Float64Array(STEPS);
  for (let step = 0; step < STEPS; step++) {
    for (const [tap, weight] of smoothing.entries()) {
      const at = Math.abs(step + tap - 3);
      const mirrored = at >= STEPS ? 2 * STEPS - 2 - at : at;
      weights[mirrored] = (weights[mirrored] ?? 0) + weight / STEPS / BINS;
    }
  }
  return Float32Array.from(weights);
}
