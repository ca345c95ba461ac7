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
import { floatsOf, int64sOf, type OnnxGraph, readModel } from './model.ts';

/** An LSTM's numbers; the rows are its gates in the order input, forget, cell, output. */
export type LstmWeights = {
  /** `[4 * hidden][inputs]`. */
  readonly input: Float32Array;
  /** `[4 * hidden][hidden]`. */
  readonly hidden: Float32Array;
  /** `[4 * hidden]`: the graph's two biases, which only ever act as their sum. */
  readonly bias: Float32Array;
};

/** What Silero v5 and v6 learned, for 16 kHz; the two differ in nothing but these numbers. */
export type SileroWeights = {
  /** 129 -> 128, 128 -> 64 (stride 2), 64 -> 64 (stride 2), 64 -> 128; three taps each. */
  readonly encoder: readonly [ConvWeights, ConvWeights, ConvWeights, ConvWeights];
  readonly lstm: LstmWeights;
  /** The output layer: one weight for each of the 128 hidden values, and its bias. */
  readonly output: ConvWeights;
};

const STFT: ConvShape = { dims: [258, 1, 256], stride: 128, padding: 0, bias: false };
const ENCODER: readonly [ConvShape, ConvShape, ConvShape, ConvShape] = [
  { dims: [128, 129, 3], stride: 1, padding: 1 },
  { dims: [64, 128, 3], stride: 2, padding: 1 },
  { dims: [64, 64, 3], stride: 2, padding: 1 },
  { dims: [128, 64, 3], stride: 1, padding: 1 },
];
const OUTPUT: ConvShape = { dims: [1, 128, 1], stride: 1, padding: 0 };

/**
 * Reads Silero v5's or v6's weights; throws when the graph is not the one the kernel was written
 * for.
 */
export function extractSilero(file: Uint8Array): SileroWeights {
  const model = readModel(file);
  const branch = branchFor16kHz(model);
  const scopes = [branch, model];

  // From the output back to the input: Sigmoid, output layer, Relu, LSTM, then four times Relu and
  // convolution, magnitude, Fourier transform, padding.
  const sigmoid = onlyNode(branch, 'Sigmoid');
  const output = makerOf(branch, sigmoid.inputs[0], 'Conv');
  makerOf(branch, output.inputs[0], 'Relu');

  const encoderNodes = [];
  let value = branch.nodes.filter((node) => node.op === 'Conv').at(-2)?.outputs[0];
  for (let layer = 3; layer >= 0; layer--) {
    const node = makerOf(branch, value, 'Conv');
    encoderNodes.unshift(node);
    const before = makerOf(branch, node.inputs[0], layer === 0 ? 'Sqrt' : 'Relu');
    value = before.inputs[0];
  }
  checkStft(branch, scopes);

  const layers = encoderNodes.map((node, layer) => {
    const shape = ENCODER[layer];
    if (!shape) throw new Error('onnx: more encoder layers than known');
    return convWeights(scopes, node, shape);
  });
  const [first, second, third, fourth] = layers;
  if (!first || !second || !third || !fourth) throw new Error('onnx: an encoder layer is missing');

  return {
    encoder: [first, second, third, fourth],
    lstm: extractLstm(branch, scopes),
    output: convWeights(scopes, output, OUTPUT),
  };
}

/** The transform must be of the input, with 64 samples mirrored onto its end and none before. */
function checkStft(branch: OnnxGraph, scopes: readonly OnnxGraph[]): void {
  const [stft] = branch.nodes.filter((node) => node.op === 'Conv');
  if (!stft) throw new Error('onnx: no convolutions');
  checkFourierBasis(convWeights(scopes, stft, STFT).weight);
  const unsqueeze = makerOf(branch, stft.inputs[0], 'Unsqueeze');
  const pad = makerOf(branch, unsqueeze.inputs[0], 'Pad');
  const amounts = branch.nodes.find((node) => node.op === 'Concat')?.inputs[0];
  const [before, after] = int64sOf(constantOf(scopes, amounts, [2]));
  const mode = pad.attributes.get('mode')?.text;
  if (pad.inputs[0] !== 'input' || mode !== 'reflect' || before !== 0 || after !== 64) {
    throw new Error(
      `onnx: the input is padded ${before}, ${after} (${mode}), wanted 0, 64 (reflect)`,
    );
  }
}

/**
 * The LSTM stands under an `If` that asks for a state. ONNX wants the gates as input, output,
 * forget, cell; the graph sorts its stored rows into that order with three slices, which tell how
 * they are stored.
 */
function extractLstm(branch: OnnxGraph, scopes: readonly OnnxGraph[]): LstmWeights {
  const holders = branch.nodes.filter((node) =>
    node.attributes.get('then_branch')?.graph?.nodes.some((inner) => inner.op === 'LSTM'),
  );
  const [holder] = holders;
  if (!holder || holders.length > 1) throw new Error('onnx: wanted one If around the LSTM');
  const graph = subgraphOf(holder, 'then_branch');
  const lstm = onlyNode(graph, 'LSTM');
  if (lstm.attributes.get('hidden_size')?.integers.join() !== '128') {
    throw new Error('onnx: the LSTM is not of 128 values');
  }

  const inner = [graph, ...scopes];
  const stored = (value: string | undefined, dims: readonly number[]): Float32Array => {
    const concat = makerOf(graph, value, 'Concat');
    const slices = concat.inputs.map((input) => makerOf(graph, input, 'Slice'));
    const ranges = slices.map((slice) =>
      [slice.inputs[1], slice.inputs[2]].map((at) => int64sOf(constantOf(inner, at, [1]))[0]),
    );
    if (ranges.join(' ') !== '0,128 384,512 128,384') {
      throw new Error(`onnx: the LSTM's gates are stored in another order: ${ranges.join(' ')}`);
    }
    const [source, ...others] = new Set(slices.map((slice) => slice.inputs[0]));
    if (others.length > 0) throw new Error('onnx: the gates come from several constants');
    return floatsOf(constantOf(inner, source, dims));
  };

  const weights = [lstm.inputs[1], lstm.inputs[2], lstm.inputs[3]].map(
    (value) => makerOf(graph, value, 'Unsqueeze').inputs[0],
  );
  const biases = makerOf(graph, weights[2], 'Concat').inputs.map((value) => stored(value, [512]));
  const [inputBias, hiddenBias] = biases;
  if (!inputBias || !hiddenBias) throw new Error('onnx: the LSTM has no biases');
  return {
    input: stored(weights[0], [512, 128]),
    hidden: stored(weights[1], [512, 128]),
    bias: inputBias.map((bias, row) => bias + (hiddenBias[row] ?? Number.NaN)),
  };
}
