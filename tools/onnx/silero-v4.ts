import {
  branchFor16kHz,
  type ConvShape,
  type ConvWeights,
  checkFourierBasis,
  constantOf,
  convWeights,
  makerOf,
  onlyNode,
  subgraphOf,
} from './graph-checks.ts';
import { gatesReordered, type LstmWeights } from './lstm-weights.ts';
import { floatsOf, int64sOf, type OnnxGraph, type OnnxNode, readModel } from './model.ts';

/**
 * Two 1x1 convolutions around a depthwise one: `Relu(pointwise(Relu(depthwise(x))) + project(x))`.
 */
export type BlockWeights = {
  readonly depthwise: ConvWeights;
  readonly pointwise: ConvWeights;
  /** Absent where the block adds its input as it is. */
  readonly project?: ConvWeights;
  /**
   * The 1x1 convolution (with Relu) behind the block, which halves the time steps in all but the
   * last.
   */
  readonly after: ConvWeights;
};

/** The first block changes the number of channels, so it always projects. */
export type FirstBlockWeights = BlockWeights & Required<Pick<BlockWeights, 'project'>>;

/** What Silero v4 learned, for 16 kHz. */
export type SileroV4Weights = {
  /** Smooths the mean of the logarithmic spectrum over seven time steps. */
  readonly smoothing: Float32Array;
  readonly blocks: readonly [FirstBlockWeights, BlockWeights, BlockWeights, BlockWeights];
  readonly lstms: readonly [LstmWeights, LstmWeights];
  /** The output layer: one weight for each of the 64 hidden values, and its bias. */
  readonly output: ConvWeights;
};

type BlockShape = {
  readonly inputs: number;
  readonly outputs: number;
  readonly project: boolean;
  readonly stride: number;
};

const BLOCKS: readonly [BlockShape, BlockShape, BlockShape, BlockShape] = [
  { inputs: 258, outputs: 16, project: true, stride: 2 },
  { inputs: 16, outputs: 32, project: true, stride: 2 },
  { inputs: 32, outputs: 32, project: false, stride: 2 },
  { inputs: 32, outputs: 64, project: true, stride: 1 },
];
const STFT: ConvShape = { dims: [258, 1, 256], stride: 64, padding: 0, bias: false };
const SMOOTHING: ConvShape = { dims: [1, 1, 7], stride: 1, padding: 0, bias: false };
const OUTPUT: ConvShape = { dims: [1, 64, 1], stride: 1, padding: 0 };

/** Reads Silero v4's weights; throws when the graph is not the one the kernel was written for. */
export function extractSileroV4(file: Uint8Array): SileroV4Weights {
  const model = readModel(file);
  const branch = branchFor16kHz(model);
  const scopes = [branch, model];
  const smoothing = checkFrontEnd(branch, scopes);

  // The features are the magnitudes and, below them, the normalised logarithms.
  let value = branch.nodes
    .filter((node) => node.op === 'Concat')
    .find((node) => node.inputs.length === 2)?.outputs[0];
  const blocks = BLOCKS.map((shape) => {
    const block = readBlock(branch, scopes, value, shape);
    value = block.output;
    return block.weights;
  });
  const [first, second, third, fourth] = blocks;
  if (!first?.project || !second || !third || !fourth) throw new Error('onnx: a block is missing');

  const sigmoid = onlyNode(branch, 'Sigmoid');
  const output = makerOf(branch, sigmoid.inputs[0], 'Conv');
  makerOf(branch, output.inputs[0], 'Relu');
  return {
    smoothing,
    blocks: [{ ...first, project: first.project }, second, third, fourth],
    lstms: readLstms(branch, scopes),
    output: convWeights(scopes, output, OUTPUT),
  };
}

/**
 * The path from the samples to the features: 96 samples mirrored onto each end, Fourier transform,
 * magnitude m, log(1 + 2^20 m), and its mean over bins, smoothed over time and averaged, taken off.
 */
function checkFrontEnd(branch: OnnxGraph, scopes: readonly OnnxGraph[]): Float32Array {
  const pad = onlyNode(branch, 'Pad');
  const amounts = int64sOf(constantOf(scopes, pad.inputs[1], [8])).join();
  if (pad.attributes.get('mode')?.text !== 'reflect' || amounts !== '0,0,0,96,0,0,0,96') {
    throw new Error(`onnx: the input is padded by ${amounts}`);
  }
  const [stft] = branch.nodes.filter((node) => node.op === 'Conv');
  if (!stft) throw new Error('onnx: no convolutions');
  checkFourierBasis(convWeights(scopes, stft, STFT).weight);

  const log = onlyNode(branch, 'Log');
  const plusOne = makerOf(branch, log.inputs[0], 'Add');
  const scaled = makerOf(branch, plusOne.inputs[1], 'Mul');
  makerOf(branch, scaled.inputs[0], 'Sqrt');
  const scale = floatsOf(constantOf(scopes, scaled.inputs[1], []))[0];
  const one = floatsOf(constantOf(scopes, plusOne.inputs[0], []))[0];
  if (scale !== 2 ** 20 || one !== 1) {
    throw new Error(`onnx: the logarithm is of ${one} + ${scale} m, wanted 1 + 2^20 m`);
  }

  const negated = onlyNode(branch, 'Neg');
  const average = makerOf(branch, negated.inputs[0], 'ReduceMean');
  const smoothed = makerOf(branch, average.inputs[0], 'Conv');
  const mirrored = makerOf(branch, smoothed.inputs[0], 'Concat');
  const mean = makerOf(branch, mirrored.inputs[1], 'ReduceMean');
  if (average.attributes.get('axes')?.integers.join() !== '-1') {
    throw new Error('onnx: the smoothed mean is not averaged over time');
  }
  if (mean.attributes.get('axes')?.integers.join() !== '1') {
    throw new Error('onnx: the mean of the spectrum is not over its bins');
  }
  return convWeights(scopes, smoothed, SMOOTHING).weight;
}

/** Follows one block from the value that goes in to the value that comes out. */
function readBlock(
  branch: OnnxGraph,
  scopes: readonly OnnxGraph[],
  input: string | undefined,
  shape: BlockShape,
): { readonly weights: BlockWeights; readonly output: string | undefined } {
  const { inputs, outputs, project, stride } = shape;
  const users = (value: string | undefined, op: string): OnnxNode[] =>
    branch.nodes.filter((node) => node.op === op && node.inputs.includes(value ?? ''));
  const only = (value: string | undefined, op: string): OnnxNode => {
    const [node, ...others] = users(value, op);
    if (!node || others.length > 0) throw new Error(`onnx: ${value} has not one ${op} behind it`);
    return node;
  };

  const [depthwise, projection] = users(input, 'Conv');
  if (!depthwise || !projection !== !project) {
    throw new Error(`onnx: the block behind ${input} is not built as expected`);
  }
  const pointwise = only(only(depthwise.outputs[0], 'Relu').outputs[0], 'Conv');
  const sum = only(pointwise.outputs[0], 'Add');
  if (sum.inputs[1] !== (projection ? projection.outputs[0] : input)) {
    throw new Error(`onnx: the block behind ${input} adds ${sum.inputs[1]}`);
  }
  const after = only(only(sum.outputs[0], 'Relu').outputs[0], 'Conv');
  const one = (dims: readonly [number, number, number], by = 1): ConvShape => ({
    dims,
    stride: by,
    padding: 0,
  });
  const weights: BlockWeights = {
    depthwise: convWeights(scopes, depthwise, {
      dims: [inputs, 1, 5],
      stride: 1,
      padding: 2,
      groups: inputs,
    }),
    pointwise: convWeights(scopes, pointwise, one([outputs, inputs, 1])),
    after: convWeights(scopes, after, one([outputs, outputs, 1], stride)),
    ...(projection ? { project: convWeights(scopes, projection, one([outputs, inputs, 1])) } : {}),
  };
  return { weights, output: only(after.outputs[0], 'Relu').outputs[0] };
}

/** Two LSTMs of 64 values, one on the other, under an `If` that asks for a state. */
function readLstms(branch: OnnxGraph, scopes: readonly OnnxGraph[]): [LstmWeights, LstmWeights] {
  const holder = branch.nodes.find((node) =>
    node.attributes.get('then_branch')?.graph?.nodes.some((inner) => inner.op === 'LSTM'),
  );
  if (!holder) throw new Error('onnx: no If around the LSTMs');
  const graph = subgraphOf(holder, 'then_branch');
  const inner = [graph, ...scopes];
  const [first, second, ...others] = graph.nodes.filter((node) => node.op === 'LSTM');
  if (!first || !second || others.length > 0) throw new Error('onnx: wanted two LSTMs');
  if (makerOf(graph, second.inputs[0], 'Squeeze').inputs[0] !== first.outputs[0]) {
    throw new Error('onnx: the second LSTM does not read the first');
  }

  const read = (node: OnnxNode): LstmWeights => {
    const direction = node.attributes.get('direction')?.text;
    const hidden = node.attributes.get('hidden_size')?.integers.join();
    if (direction !== 'forward' || hidden !== '64') {
      throw new Error(`onnx: an LSTM is ${direction}, of ${hidden} values`);
    }
    const bias = floatsOf(constantOf(inner, node.inputs[3], [1, 512]));
    return gatesReordered({
      input: floatsOf(constantOf(inner, node.inputs[1], [1, 256, 64])),
      hidden: floatsOf(constantOf(inner, node.inputs[2], [1, 256, 64])),
      bias: bias.subarray(0, 256).map((value, row) => value + (bias[256 + row] ?? Number.NaN)),
    });
  };
  return [read(first), read(second)];
}
