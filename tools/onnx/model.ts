import { bytesOf, integerOf, integersOf, readFields, textOf } from './protobuf.ts';

/** A constant of the graph; `floatsOf` and `int64sOf` read its little-endian data. */
export type OnnxTensor = {
  readonly name: string;
  readonly dims: readonly number[];
  /** TensorProto.DataType: 1 is float, 7 is int64, 9 is bool. */
  readonly type: number;
  readonly data: Uint8Array;
};

export type OnnxNode = {
  readonly op: string;
  readonly name: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: ReadonlyMap<string, OnnxAttribute>;
};

/** An attribute: the parts that are set. */
export type OnnxAttribute = {
  readonly integers: readonly number[];
  readonly tensor?: OnnxTensor;
  readonly graph?: OnnxGraph;
  readonly text?: string;
};

export type OnnxGraph = {
  readonly nodes: readonly OnnxNode[];
  readonly constants: ReadonlyMap<string, OnnxTensor>;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
};

const FLOAT = 1;
const INT64 = 7;

/**
 * Reads an ONNX file: the fields of onnx.proto
 * (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto) that Silero's models use. Throws on
 * bytes that are not a model.
 */
export function readModel(bytes: Uint8Array): OnnxGraph {
  for (const field of readFields(bytes)) {
    if (field.number === 7) return readGraph(bytesOf(field));
  }
  throw new Error('onnx: no graph in this file');
}

function readGraph(bytes: Uint8Array): OnnxGraph {
  const nodes: OnnxNode[] = [];
  const constants = new Map<string, OnnxTensor>();
  const inputs: string[] = [];
  const outputs: string[] = [];
  for (const field of readFields(bytes)) {
    if (field.number === 1) {
      const node = readNode(bytesOf(field));
      nodes.push(node);
      const tensor = node.op === 'Constant' ? node.attributes.get('value')?.tensor : undefined;
      const [output] = node.outputs;
      if (tensor && output !== undefined) constants.set(output, tensor);
    } else if (field.number === 5) {
      const tensor = readTensor(bytesOf(field));
      constants.set(tensor.name, tensor);
    } else if (field.number === 11) inputs.push(readName(bytesOf(field)));
    else if (field.number === 12) outputs.push(readName(bytesOf(field)));
  }
  return { nodes, constants, inputs, outputs };
}

function readName(bytes: Uint8Array): string {
  for (const field of readFields(bytes)) if (field.number === 1) return textOf(field);
  throw new Error('onnx: a value without a name');
}

function readNode(bytes: Uint8Array): OnnxNode {
  const inputs: string[] = [];
  const outputs: string[] = [];
  const attributes = new Map<string, OnnxAttribute>();
  let name = '';
  let op = '';
  for (const field of readFields(bytes)) {
    if (field.number === 1) inputs.push(textOf(field));
    else if (field.number === 2) outputs.push(textOf(field));
    else if (field.number === 3) name = textOf(field);
    else if (field.number === 4) op = textOf(field);
    else if (field.number === 5) attributes.set(...readAttribute(bytesOf(field)));
  }
  return { op, name, inputs, outputs, attributes };
}

function readAttribute(bytes: Uint8Array): [string, OnnxAttribute] {
  const integers: number[] = [];
  let name = '';
  let parts: Omit<OnnxAttribute, 'integers'> = {};
  for (const field of readFields(bytes)) {
    if (field.number === 1) name = textOf(field);
    else if (field.number === 3) integers.push(integerOf(field));
    else if (field.number === 4)
      parts = { ...parts, text: new TextDecoder().decode(bytesOf(field)) };
    else if (field.number === 5) parts = { ...parts, tensor: readTensor(bytesOf(field)) };
    else if (field.number === 6) parts = { ...parts, graph: readGraph(bytesOf(field)) };
    else if (field.number === 8) integers.push(...integersOf(field));
  }
  return [name, { integers, ...parts }];
}

function readTensor(bytes: Uint8Array): OnnxTensor {
  const dims: number[] = [];
  const integers: number[] = [];
  let name = '';
  let type = 0;
  let data: Uint8Array = new Uint8Array();
  for (const field of readFields(bytes)) {
    if (field.number === 1) dims.push(...integersOf(field));
    else if (field.number === 2) type = integerOf(field);
    else if (field.number === 4 || field.number === 9) data = bytesOf(field);
    else if (field.number === 7) integers.push(...integersOf(field));
    else if (field.number === 8) name = textOf(field);
  }
  if (integers.length > 0) {
    data = new Uint8Array(BigInt64Array.from(integers, (value) => BigInt(value)).buffer);
  }
  return { name, dims, type, data };
}

/** A float tensor's numbers; throws unless it is f32 and holds as many as its shape says. */
export function floatsOf(tensor: OnnxTensor): Float32Array {
  return new Float32Array(elementsOf(tensor, FLOAT, 4));
}

/** An int64 tensor's numbers; throws unless it is int64 and holds as many as its shape says. */
export function int64sOf(tensor: OnnxTensor): readonly number[] {
  return Array.from(new BigInt64Array(elementsOf(tensor, INT64, 8)), Number);
}

function elementsOf(tensor: OnnxTensor, type: number, elementBytes: number): ArrayBuffer {
  const count = tensor.dims.reduce((product, dim) => product * dim, 1);
  if (tensor.type !== type || tensor.data.length !== count * elementBytes) {
    throw new Error(
      `onnx: tensor ${tensor.name} [${tensor.dims.join(', ')}] has type ${tensor.type} and ` +
        `${tensor.data.length} bytes, wanted type ${type} and ${count * elementBytes} bytes`,
    );
  }
  return new Uint8Array(tensor.data).buffer;
}
