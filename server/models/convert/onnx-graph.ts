/**
 * One field of a protobuf message. `raw` is all of it, key included, for writing it down again as it
 * was; the bytes are those of the message, not a copy.
 */
type Field = {
  readonly number: number;
  readonly raw: Uint8Array;
  /** The content of a length-delimited field; empty for any other. */
  readonly bytes: Uint8Array;
};

/** The fields of a message, in order; throws a RangeError when its bytes are none. */
export function* readFields(message: Uint8Array): Generator<Field> {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = message[at++];
      if (byte === undefined) break;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError('a number in the file does not end');
  };
  while (at < message.length) {
    const start = at;
    const key = varint();
    const wire = key % 8;
    let length = 0;
    if (wire === 0) varint();
    else if (wire === 1) length = 8;
    else if (wire === 2) length = varint();
    else if (wire === 5) length = 4;
    else throw new RangeError(`the file has a field of kind ${wire}, which no model has`);
    if (at + length > message.length) throw new RangeError('the file ends inside of a field');
    const bytes = message.subarray(at, at + length);
    at += length;
    yield { number: Math.floor(key / 8), raw: message.subarray(start, at), bytes };
  }
}

/** A whole number from 0 as protobuf writes it. */
function varintBytes(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return Uint8Array.of(...bytes, rest);
}

/** A field with a whole number from 0. */
export function integerField(number: number, value: number): Uint8Array {
  return Buffer.concat([varintBytes(number * 8), varintBytes(value)]);
}

/** A field with bytes, or with a text in UTF-8. */
export function bytesField(number: number, value: Uint8Array | string): Uint8Array {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'utf8') : value;
  return Buffer.concat([varintBytes(number * 8 + 2), varintBytes(bytes.length), bytes]);
}

const TEXT = new TextDecoder();

/** The text of the first field with this number; '' when there is none. */
export function textOf(message: Uint8Array, number: number): string {
  for (const field of readFields(message)) {
    if (field.number === number) return TEXT.decode(field.bytes);
  }
  return '';
}

/** A step of a graph, as far as it matters who needs whom. */
export type GraphNode = {
  /** The values it reads: its inputs, and those that its subgraphs (`If`, `Loop`) take from around them. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** As it stands in the file. */
  readonly bytes: Uint8Array;
};

/** An ONNX file taken apart; the bytes are those of the file, not copies. */
export type OnnxParts = {
  /** All that is not the graph: versions and operator sets. */
  readonly head: readonly Uint8Array[];
  /** In the order in which they can be run. */
  readonly nodes: readonly GraphNode[];
  /** Weights, inputs and outputs by their names, as they stand in the file. */
  readonly weights: ReadonlyMap<string, Uint8Array>;
  readonly inputs: ReadonlyMap<string, Uint8Array>;
  readonly outputs: ReadonlyMap<string, Uint8Array>;
};

/** The numbers of onnx.proto's fields. */
const MODEL_GRAPH = 7;
const GRAPH = { node: 1, name: 2, weight: 5, input: 11, output: 12, sparse: 15 } as const;
const NODE = { input: 1, output: 2, attribute: 5 } as const;
const ATTRIBUTE_GRAPHS: readonly number[] = [6, 11];
const TENSOR_NAME = 8;
const VALUE_NAME = 1;

const UTF8 = new TextDecoder();

/** Takes an ONNX file apart; throws a RangeError when it is none. */
export function readOnnx(file: Uint8Array): OnnxParts {
  const head: Uint8Array[] = [];
  let graph: Uint8Array | null = null;
  for (const field of readFields(file)) {
    if (field.number === MODEL_GRAPH) graph = field.bytes;
    else head.push(field.raw);
  }
  if (graph === null) throw new RangeError('the file holds no graph');
  return { head, ...readGraph(graph) };
}

function readGraph(graph: Uint8Array): Omit<OnnxParts, 'head'> {
  const nodes: GraphNode[] = [];
  const weights = new Map<string, Uint8Array>();
  const inputs = new Map<string, Uint8Array>();
  const outputs = new Map<string, Uint8Array>();
  for (const { number, bytes } of readFields(graph)) {
    if (number === GRAPH.node) nodes.push(readNode(bytes));
    else if (number === GRAPH.weight) weights.set(textOf(bytes, TENSOR_NAME), bytes);
    else if (number === GRAPH.input) inputs.set(textOf(bytes, VALUE_NAME), bytes);
    else if (number === GRAPH.output) outputs.set(textOf(bytes, VALUE_NAME), bytes);
    else if (number === GRAPH.sparse) throw new RangeError('the graph has sparse weights');
  }
  return { nodes, weights, inputs, outputs };
}

function readNode(bytes: Uint8Array): GraphNode {
  const reads: string[] = [];
  const writes: string[] = [];
  for (const field of readFields(bytes)) {
    if (field.number === NODE.input) reads.push(UTF8.decode(field.bytes));
    else if (field.number === NODE.output) writes.push(UTF8.decode(field.bytes));
    else if (field.number === NODE.attribute) reads.push(...takenFromAround(field.bytes));
  }
  return { reads: reads.filter((name) => name !== ''), writes, bytes };
}

/** The values that the graphs in an attribute read and do not make themselves. */
function takenFromAround(attribute: Uint8Array): string[] {
  const taken: string[] = [];
  for (const field of readFields(attribute)) {
    if (!ATTRIBUTE_GRAPHS.includes(field.number)) continue;
    const { nodes, weights, inputs, outputs } = readGraph(field.bytes);
    const own = new Set([...weights.keys(), ...inputs.keys(), ...nodes.flatMap((n) => n.writes)]);
    const read = [...nodes.flatMap((node) => node.reads), ...outputs.keys()];
    taken.push(...read.filter((name) => !own.has(name)));
  }
  return taken;
}

/** Writes a graph with the head of another. `weights` are left out where nothing reads them. */
export function writeOnnx(
  name: string,
  head: readonly Uint8Array[],
  graph: {
    readonly nodes: readonly GraphNode[];
    readonly weights: ReadonlyMap<string, Uint8Array>;
    readonly inputs: readonly Uint8Array[];
    readonly outputs: readonly Uint8Array[];
  },
): Uint8Array {
  const read = new Set([
    ...graph.nodes.flatMap((node) => node.reads),
    ...graph.outputs.map((output) => textOf(output, VALUE_NAME)),
  ]);
  const weights = [...graph.weights].filter(([weight]) => read.has(weight));
  const body = Buffer.concat([
    ...graph.nodes.map(({ bytes }) => bytesField(GRAPH.node, bytes)),
    bytesField(GRAPH.name, name),
    ...weights.map(([, bytes]) => bytesField(GRAPH.weight, bytes)),
    ...graph.inputs.map((bytes) => bytesField(GRAPH.input, bytes)),
    ...graph.outputs.map((bytes) => bytesField(GRAPH.output, bytes)),
  ]);
  return Buffer.concat([...head, bytesField(MODEL_GRAPH, body)]);
}

/** TensorProto.DataType. */
export const FLOAT = 1;
export const INT32 = 6;

/** Describes an input or output. A side with a name may have any length; no `sides`: any shape. */
export function valueInfo(
  name: string,
  type: number,
  sides: readonly (number | string)[] | null = null,
): Uint8Array {
  const shape = (sides ?? []).map((side) =>
    bytesField(1, typeof side === 'number' ? integerField(1, side) : bytesField(2, side)),
  );
  const tensor = Buffer.concat([
    integerField(1, type),
    ...(sides === null ? [] : [bytesField(2, Buffer.concat(shape))]),
  ]);
  return Buffer.concat([bytesField(VALUE_NAME, name), bytesField(2, bytesField(1, tensor))]);
}

/** A node that gives on what it gets. */
export function identityNode(from: string, to: string): GraphNode {
  const bytes = Buffer.concat([
    bytesField(NODE.input, from),
    bytesField(NODE.output, to),
    bytesField(3, `${to} as it came`),
    bytesField(4, 'Identity'),
  ]);
  return { reads: [from], writes: [to], bytes };
}

/** Entries of a model's metadata, to stand behind all else in its file. */
export function metadataEntries(entries: Readonly<Record<string, string | number>>): Uint8Array {
  return Buffer.concat(
    Object.entries(entries).map(([key, value]) =>
      bytesField(14, Buffer.concat([bytesField(1, key), bytesField(2, String(value))])),
    ),
  );
}
