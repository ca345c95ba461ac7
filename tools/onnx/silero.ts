import {
  floatsOf,
  int64sOf,
  type OnnxGraph,
  type OnnxNode,
  type OnnxTensor,
  readModel,
} from './model.ts';

/** A convolution over time as it must stand in the graph. Dilation is 1 everywhere. */
type ConvShape = {
  /** `[outputs, inputs, taps]`. */
  readonly dims: readonly [number, number, number];
  readonly stride: number;
  /** Zeros on each side. */
  readonly padding: number;
  readonly bias?: boolean;
};

/** A convolution's numbers: `weight[output][input][tap]`, flat, and a bias per output. */
export type ConvWeights = { readonly weight: Float32Array; readonly bias: Float32Array };

/**
 * The branch of the model's outer `If` that runs at 16 kHz; throws when the graph is built
 * otherwise.
 */
function branchFor16kHz(model: OnnxGraph): OnnxGraph {
  const choice = onlyNode(model, 'If');
  const test = model.nodes.find((node) => node.outputs[0] === choice.inputs[0]);
  const [left, right = ''] = test?.inputs ?? [];
  const rate = model.constants.get(right);
  if (test?.op !== 'Equal' || left !== 'sr' || !rate || int64sOf(rate)[0] !== 16_000) {
    throw new Error('onnx: the outer If does not ask whether sr equals 16000');
  }
  return subgraphOf(choice, 'then_branch');
}

/** A node's subgraph, such as an `If`'s `then_branch`. */
function subgraphOf(node: OnnxNode, attribute: string): OnnxGraph {
  const graph = node.attributes.get(attribute)?.graph;
  if (!graph) throw new Error(`onnx: ${node.op} ${node.name} has no ${attribute}`);
  return graph;
}

/** The only node of its kind in a graph. */
function onlyNode(graph: OnnxGraph, op: string): OnnxNode {
  const [node, ...others] = graph.nodes.filter((candidate) => candidate.op === op);
  if (!node || others.length > 0) throw new Error(`onnx: wanted one ${op}, found ${others.length}`);
  return node;
}

/** The node that makes a value; throws when it is another kind of node than `op`. */
function makerOf(graph: OnnxGraph, value: string | undefined, op: string): OnnxNode {
  const node = graph.nodes.find((candidate) => candidate.outputs.includes(value ?? ''));
  if (node?.op !== op) {
    throw new Error(`onnx: ${value} is made by ${node?.op ?? 'nothing'}, wanted ${op}`);
  }
  return node;
}

/** A constant seen from a branch: its own, or one of the model around it. */
function constantOf(
  scopes: readonly OnnxGraph[],
  name: string | undefined,
  dims: readonly number[],
): OnnxTensor {
  for (const scope of scopes) {
    const tensor = scope.constants.get(name ?? '');
    if (!tensor) continue;
    if (tensor.dims.join() !== dims.join()) {
      throw new Error(`onnx: ${name} is [${tensor.dims.join()}], wanted [${dims.join()}]`);
    }
    return tensor;
  }
  throw new Error(`onnx: no constant named ${name}`);
}

/** A convolution's weights, once stride, padding and shape are what the kernel assumes. */
function convWeights(scopes: readonly OnnxGraph[], node: OnnxNode, shape: ConvShape): ConvWeights {
  const { dims, stride, padding, bias = true } = shape;
  const wanted: Record<string, string> = {
    strides: `${stride}`,
    pads: `${padding},${padding}`,
    group: '1',
    dilations: '1',
    kernel_shape: `${dims[2]}`,
  };
  for (const [name, value] of Object.entries(wanted)) {
    const found = node.attributes.get(name)?.integers.join();
    if (found !== value) {
      throw new Error(`onnx: ${node.outputs[0]}: ${name} is ${found}, wanted ${value}`);
    }
  }
  if (node.inputs.length !== (bias ? 3 : 2)) {
    throw new Error(`onnx: ${node.outputs[0]} has ${node.inputs.length} inputs`);
  }
  return {
    weight: floatsOf(constantOf(scopes, node.inputs[1], dims)),
    bias: bias
      ? floatsOf(constantOf(scopes, node.inputs[2], [dims[0]]))
      : new Float32Array(dims[0]),
  };
}

/**
 * Checks that a convolution's weights are a short-time Fourier transform, so that an FFT can stand
 * in for it: 258 rows of 256 taps, first `cos`, then `-sin` of bins 0 to 128, under a periodic Hann
 * window. Throws when any tap is off by more than 1e-6.
 */
function checkFourierBasis(basis: Float32Array): void {
  const size = 256;
  const bins = size / 2 + 1;
  for (let row = 0; row < 2 * bins; row++) {
    const bin = row % bins;
    for (let tap = 0; tap < size; tap++) {
      const hann = 0.5 - 0.5 * Math.cos((2 * Math.PI * tap) / size);
      const angle = (2 * Math.PI * bin * tap) / size;
      const wanted = hann * (row < bins ? Math.cos(angle) : -Math.sin(angle));
      const found = basis[row * size + tap] ?? Number.NaN;
      if (!(Math.abs(found - wanted) <= 1e-6)) {
        throw new Error(`onnx: tap ${tap} of Fourier row ${row} is ${found}, wanted ${wanted}`);
      }
    }
  }
}

/** An LSTM's numbers; the rows are its gates in the order input, forget, cell, output. */
export type LstmWeights = {
  /** `[4 * hidden][inputs]`. */
  readonly input: Float32Array;
  /** `[4 * hidden][hidden]`. */
  readonly hidden: Float32Array;
  /** `[4 * hidden]`: the graph's two biases, which only ever act as their sum. */
  readonly bias: Float32Array;
};

/** The weights of Silero for 16 kHz. */
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
 * Reads Silero's weights; throws when the graph is not the one the kernel was written
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
