/** One field of a protobuf message, undecoded. */
export type ProtoField =
  | { readonly wire: 'varint'; readonly number: number; readonly value: bigint }
  | { readonly wire: 'bytes'; readonly number: number; readonly value: Uint8Array }
  | { readonly wire: 'fixed32'; readonly number: number; readonly value: Uint8Array }
  | { readonly wire: 'fixed64'; readonly number: number; readonly value: Uint8Array };

/**
 * The fields of one message, in file order: https://protobuf.dev/programming-guides/encoding/.
 * Throws when the bytes end in mid-field or hold a wire type that ONNX never uses (groups).
 */
export function* readFields(bytes: Uint8Array): Generator<ProtoField> {
  let at = 0;

  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error('protobuf: the message ends inside a varint');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new Error('protobuf: a varint of more than ten bytes');
  };

  const take = (count: number): Uint8Array => {
    if (at + count > bytes.length) throw new Error('protobuf: the message ends inside a field');
    const value = bytes.subarray(at, at + count);
    at += count;
    return value;
  };

  while (at < bytes.length) {
    const key = Number(varint());
    const number = key >>> 3;
    const wire = key & 7;
    if (wire === 0) yield { wire: 'varint', number, value: varint() };
    else if (wire === 1) yield { wire: 'fixed64', number, value: take(8) };
    else if (wire === 2) yield { wire: 'bytes', number, value: take(Number(varint())) };
    else if (wire === 5) yield { wire: 'fixed32', number, value: take(4) };
    else throw new Error(`protobuf: wire type ${wire} in field ${number}`);
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** A length-delimited field's text; throws when it is not UTF-8. */
export function textOf(field: ProtoField): string {
  return UTF8.decode(bytesOf(field));
}

/** A length-delimited field's bytes; throws on any other wire type. */
export function bytesOf(field: ProtoField): Uint8Array {
  if (field.wire !== 'bytes') {
    throw new Error(`protobuf: field ${field.number} is ${field.wire}, not bytes`);
  }
  return field.value;
}

/** A varint as a signed 64-bit integer that fits a JavaScript number. */
export function integerOf(field: ProtoField): number {
  if (field.wire !== 'varint') {
    throw new Error(`protobuf: field ${field.number} is ${field.wire}, not an integer`);
  }
  return Number(BigInt.asIntN(64, field.value));
}

/** The integers of a repeated field's one occurrence: packed (bytes) or single (varint). */
export function integersOf(field: ProtoField): readonly number[] {
  if (field.wire === 'varint') return [integerOf(field)];
  return [...readVarints(bytesOf(field))];
}

function* readVarints(packed: Uint8Array): Generator<number> {
  let value = 0n;
  let shift = 0n;
  for (const byte of packed) {
    value |= BigInt(byte & 0x7f) << shift;
    shift += 7n;
    if (byte < 0x80) {
      yield Number(BigInt.asIntN(64, value));
      value = 0n;
      shift = 0n;
    }
  }
  if (shift !== 0n) throw new Error('protobuf: packed integers end inside a varint');
}

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
type OnnxAttribute = {
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
