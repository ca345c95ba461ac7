import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FetchedModel, ModelFile } from '../layout/known-model.ts';
import { type ModelFolder, READY_FILES, READY_NOTE, readReady } from '../layout/model-folder.ts';
import { ConversionImpossible } from './conversion-impossible.ts';
import { cutDecoderJoint } from './cut-decoder-joint.ts';
import { metadataEntries } from './onnx-graph.ts';

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

/** Where a folder can be: a name that is new in it is then on the disk itself. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => null);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}
