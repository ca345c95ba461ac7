import { floatsOf, int64sOf, type OnnxGraph, type OnnxNode, type OnnxTensor } from './model.ts';

/** A convolution over time as it must stand in the graph. Dilation is 1 everywhere. */
export type ConvShape = {
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
export function branchFor16kHz(model: OnnxGraph): OnnxGraph {
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
export function subgraphOf(node: OnnxNode, attribute: string): OnnxGraph {
  const graph = node.attributes.get(attribute)?.graph;
  if (!graph) throw new Error(`onnx: ${node.op} ${node.name} has no ${attribute}`);
  return graph;
}

/** The only node of its kind in a graph. */
export function onlyNode(graph: OnnxGraph, op: string): OnnxNode {
  const [node, ...others] = graph.nodes.filter((candidate) => candidate.op === op);
  if (!node || others.length > 0) throw new Error(`onnx: wanted one ${op}, found ${others.length}`);
  return node;
}

/** The node that makes a value; throws when it is another kind of node than `op`. */
export function makerOf(graph: OnnxGraph, value: string | undefined, op: string): OnnxNode {
  const node = graph.nodes.find((candidate) => candidate.outputs.includes(value ?? ''));
  if (node?.op !== op) {
    throw new Error(`onnx: ${value} is made by ${node?.op ?? 'nothing'}, wanted ${op}`);
  }
  return node;
}

/** A constant seen from a branch: its own, or one of the model around it. */
export function constantOf(
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
export function convWeights(
  scopes: readonly OnnxGraph[],
  node: OnnxNode,
  shape: ConvShape,
): ConvWeights {
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
export function checkFourierBasis(basis: Float32Array): void {
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
