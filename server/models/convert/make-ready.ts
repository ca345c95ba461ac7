import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type FetchedModel,
  type ModelFile,
  type ModelFolder,
  READY_FILES,
  READY_NOTE,
  readReady,
  syncFolder,
} from '../layout/model-folder.ts';
import { ConversionImpossible } from './convert-in-thread.ts';
import {
  FLOAT,
  type GraphNode,
  INT32,
  identityNode,
  metadataEntries,
  type OnnxParts,
  readOnnx,
  valueInfo,
  writeOnnx,
} from './onnx-graph.ts';

/** NeMo's names of the inputs and the output that matter. */
const ENCODED = 'encoder_outputs';
const TARGETS = 'targets';
const TARGET_LENGTH = 'target_length';
const LOGITS = 'outputs';
const LENGTHS = 'prednet_lengths';

/** The halves of a file, each an ONNX file of its own. */
type CutModel = {
  readonly decoder: Uint8Array;
  readonly joiner: Uint8Array;
  /** The value that goes from one to the other. */
  readonly seam: string;
};

/**
 * Cuts NeMo's decoder with its joint in two, as sherpa-onnx wants them. Nodes that can be reached
 * from the encoder's frames are the joint, all else the decoder; between them there must be one
 * value, or it throws ConversionImpossible. `logits` is the count of numbers that the joint gives
 * for a frame, which sherpa-onnx reads from the joiner's description.
 */
export function cutDecoderJoint(file: Uint8Array, logits: number): CutModel {
  const parts = readOnnx(file);
  const states = stateNames(parts);
  requireNames(parts, states);
  const flow = createFlow(parts, [TARGETS, TARGET_LENGTH, ...states.inputs]);
  const seam = findSeam(parts, flow);

  const length = [...parts.outputs].find(([name]) => /length/i.test(name));
  const lengthNodes = length === undefined ? [identityNode(TARGET_LENGTH, LENGTHS)] : [];
  const decoderNodes = flow.neededFor(
    [seam, ...states.outputs, ...(length === undefined ? [] : [length[0]])],
    null,
  );
  const decoder = writeOnnx('decoder', parts.head, {
    nodes: [...decoderNodes, ...lengthNodes],
    weights: parts.weights,
    inputs: described(parts.inputs, [TARGETS, TARGET_LENGTH, ...states.inputs]),
    outputs: [
      valueInfo(seam, FLOAT),
      length?.[1] ?? valueInfo(LENGTHS, INT32, ['batch']),
      ...described(parts.outputs, states.outputs),
    ],
  });
  const joiner = writeOnnx('joiner', parts.head, {
    nodes: flow.neededFor([LOGITS], seam),
    weights: parts.weights,
    inputs: [...described(parts.inputs, [ENCODED]), valueInfo(seam, FLOAT)],
    outputs: [valueInfo(LOGITS, FLOAT, ['batch', 'frames', 'tokens', logits])],
  });
  return { decoder, joiner, seam };
}

/** The decoder's memory, in the order of the file. */
function stateNames({ inputs, outputs }: OnnxParts) {
  const isState = (name: string) => /state/i.test(name);
  return {
    inputs: [...inputs.keys()].filter(isState),
    outputs: [...outputs.keys()].filter(isState),
  };
}

function requireNames(parts: OnnxParts, states: ReturnType<typeof stateNames>): void {
  const missing = [
    ...[ENCODED, TARGETS, TARGET_LENGTH].filter((name) => !parts.inputs.has(name)),
    ...[LOGITS].filter((name) => !parts.outputs.has(name)),
  ];
  if (missing.length > 0) {
    throw new ConversionImpossible(`the decoder's file has no ${missing.join(', ')}`);
  }
  if (states.inputs.length !== 2 || states.outputs.length !== 2) {
    throw new ConversionImpossible("the decoder's file has not two states, in and out");
  }
}

type Flow = ReturnType<typeof createFlow>;

/** The nodes by what they make and read. `changing` are the inputs of the decoder's half. */
function createFlow({ nodes }: OnnxParts, changing: readonly string[]) {
  const makers = new Map(nodes.flatMap((node) => node.writes.map((name) => [name, node] as const)));

  function reachedFrom(names: readonly string[]): ReadonlySet<string> {
    const reached = new Set(names);
    for (const { reads, writes } of nodes) {
      if (reads.some((name) => reached.has(name))) for (const name of writes) reached.add(name);
    }
    return reached;
  }

  /** The nodes that `names` need, in order; what `stop` needs is not looked at. */
  function neededFor(names: readonly string[], stop: string | null): readonly GraphNode[] {
    const needed = new Set<GraphNode>();
    const open = [...names];
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      const maker = name === stop ? undefined : makers.get(name);
      if (maker === undefined || needed.has(maker)) continue;
      needed.add(maker);
      open.push(...maker.reads);
    }
    return nodes.filter((node) => needed.has(node));
  }

  /** True if `names` can be made of `from` and of what never changes. */
  function canBeMadeFrom(from: string, names: readonly string[]): boolean {
    const direct = names.filter((name) => name !== from);
    const reads = neededFor(direct, from).flatMap((node) => node.reads);
    return ![...direct, ...reads].some((name) => changing.includes(name));
  }

  return { reachedFrom, neededFor, canBeMadeFrom, changing };
}

/** The one value of the decoder's that the joint can be computed from. */
function findSeam({ nodes }: OnnxParts, flow: Flow): string {
  const joint = flow.reachedFrom([ENCODED]);
  const decoded = flow.reachedFrom(flow.changing);
  const crossing = new Set(
    nodes
      .filter(({ writes }) => writes.some((name) => joint.has(name)))
      .flatMap(({ reads }) => reads)
      .filter((name) => !joint.has(name) && decoded.has(name)),
  );
  const ownValues = nodes
    .flatMap(({ writes }) => writes)
    .filter((name) => decoded.has(name) && !joint.has(name));
  // The last one leaves least to the joint, which runs more often.
  const seam = ownValues.findLast((name) => flow.canBeMadeFrom(name, [...crossing]));
  if (seam !== undefined && crossing.size > 0) return seam;
  const found = crossing.size === 0 ? 'nothing' : `${crossing.size} values`;
  throw new ConversionImpossible(`not one value but ${found} between decoder and joint`);
}

function described(
  values: ReadonlyMap<string, Uint8Array>,
  names: readonly string[],
): readonly Uint8Array[] {
  return names.flatMap((name) => values.get(name) ?? []);
}

/**
 * Makes of a model's files, which have been checked, what the engine takes. The power may go at any
 * step: `ready` gets its name last. Called again it does nothing. Throws ConversionImpossible, which
 * leaves the files where they are, or what the system says.
 */
export async function makeReady(model: FetchedModel, folder: ModelFolder): Promise<void> {
  if ((await readReady(folder)) === null) {
    await rm(folder.making, { recursive: true, force: true });
    await rm(folder.ready, { recursive: true, force: true });
    await mkdir(folder.making, { recursive: true });
    const files = model.layout === 'nemo-fused' ? convert(model, folder) : copy(model, folder);
    await writeNote(model, folder, await files);
    await rename(folder.making, folder.ready);
    await syncFolder(folder.root);
  }
  await rm(folder.files, { recursive: true, force: true });
}

/** Encoder and tokens are copied in pieces; only the small file is ever in memory. */
async function convert(model: FetchedModel, folder: ModelFolder): Promise<ModelFile[]> {
  const { parts, facts } = model;
  const { vocabulary, subsampling, decoderLayers, decoderSize, featureBins, durations } = facts;
  const cut = await cutFile(join(folder.files, parts.decoder), vocabulary + 1 + durations);
  const metadata = metadataEntries({
    vocab_size: vocabulary,
    subsampling_factor: subsampling,
    normalize_type: 'per_feature',
    pred_rnn_layers: decoderLayers,
    pred_hidden: decoderSize,
    feat_dim: featureBins,
    // By this word sherpa-onnx knows that the joint gives durations.
    url: 'tdt',
  });
  return [
    await write(folder, READY_FILES.decoder, [cut.decoder]),
    await write(folder, READY_FILES.joiner, [cut.joiner]),
    await write(folder, READY_FILES.tokens, piecesOf(join(folder.files, parts.tokens))),
    await write(folder, READY_FILES.encoder, piecesOf(join(folder.files, parts.encoder), metadata)),
  ];
}

async function copy({ parts }: FetchedModel, folder: ModelFolder): Promise<ModelFile[]> {
  const made: ModelFile[] = [];
  for (const part of ['tokens', 'joiner', 'decoder', 'encoder'] as const) {
    made.push(await write(folder, READY_FILES[part], piecesOf(join(folder.files, parts[part]))));
  }
  return made;
}

async function cutFile(path: string, logits: number): Promise<ReturnType<typeof cutDecoderJoint>> {
  const file = await readFile(path);
  try {
    return cutDecoderJoint(file, logits);
  } catch (error) {
    if (error instanceof RangeError) throw new ConversionImpossible(error.message);
    throw error;
  }
}

async function* piecesOf(path: string, ...after: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* createReadStream(path, { highWaterMark: 1 << 20 });
  yield* after;
}

/** Writes a file of `making` down to the disk; gives back what it is. */
async function write(
  { making }: ModelFolder,
  name: string,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<ModelFile> {
  const hash = createHash('sha256');
  const file = await open(join(making, name), 'w');
  let bytes = 0;
  try {
    for await (const piece of pieces) {
      hash.update(piece);
      await file.writeFile(piece);
      bytes += piece.length;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { name, bytes, sha256: hash.digest('hex') };
}

async function writeNote(
  { id, commit }: FetchedModel,
  folder: ModelFolder,
  files: readonly ModelFile[],
): Promise<void> {
  const note = Buffer.from(`${JSON.stringify({ format: 1, id, commit, files }, null, 2)}\n`);
  await write(folder, READY_NOTE, [note]);
}
