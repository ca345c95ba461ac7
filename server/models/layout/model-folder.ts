import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Feeds a file from `startByte` into `hash`, in pieces. */
export async function hashInto(hash: Hash, path: string, startByte = 0): Promise<void> {
  for await (const piece of createReadStream(path, { start: startByte, highWaterMark: 1 << 20 })) {
    hash.update(piece as Buffer);
  }
}

/** The SHA-256 of a file. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await hashInto(hash, path);
  return hash.digest('hex');
}

/** The fault of a file, null for none; reads all of it. */
export async function findFault(path: string, file: ModelFile): Promise<string | null> {
  const found = await hashFile(path).catch((error: unknown) => codeOf(error));
  if (found === 'ENOENT') return `${file.name} is missing`;
  return found === file.sha256 ? null : `${file.name} is not the file we know`;
}

/** Where a folder can be: a name that is new in it is then on the disk itself. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => null);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}

/** The system's code of an error, such as `ENOENT`; '' when it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** A file as it must be, byte for byte. */
export type ModelFile = {
  /** Its path below the repository's root, without folders. */
  readonly name: string;
  readonly bytes: number;
  /** In lower case hexadecimal. */
  readonly sha256: string;
};

/** The layout of a model's files, which decides what is done with them before they are loaded. */
type ModelLayout =
  /** NeMo's TDT with decoder and joint in one file and no metadata: must be converted. */
  | 'nemo-fused'
  /** As sherpa-onnx wants it: encoder, decoder, joiner, tokens. */
  | 'sherpa-transducer';

/** A model that is fetched once and then lies on this machine. */
export type FetchedModel = {
  readonly kind: 'fetched';
  /** Names it in commands, addresses and folders: lower case, digits, dashes. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** Owner and name on Hugging Face, or on a mirror of it. */
  readonly repository: string;
  /** Pinned: 40 hexadecimal digits. */
  readonly commit: string;
  readonly files: readonly ModelFile[];
  readonly layout: ModelLayout;
  /** The files, by their names. */
  readonly parts: ModelParts;
  /** The metadata that the encoder must have, where they are missing: for `nemo-fused`. */
  readonly facts: EncoderFacts;
  readonly licence: string;
  /** Where its terms are. */
  readonly licenceUrl: string;
  /** The name that the licence wants mentioned. */
  readonly attribution: string;
  /** The changes we make to it, which CC BY wants said; null for none. */
  readonly changes: string | null;
  /** Primary subtags it can write, the one it is best at first. */
  readonly languages: readonly string[];
  /** Memory it takes at most while it recognises, in bytes. */
  readonly memoryBytes: number;
};

/** Names of the files in a layout. */
type ModelParts = {
  readonly encoder: string;
  readonly tokens: string;
  /** `decoder` and `joiner` are one file where the layout is `nemo-fused`. */
  readonly decoder: string;
  readonly joiner: string;
};

/** The numbers of a transducer that sherpa-onnx reads from the encoder's metadata. */
export type EncoderFacts = {
  /** Tokens without the blank. */
  readonly vocabulary: number;
  /** Frames of features for each frame of the encoder. */
  readonly subsampling: number;
  readonly decoderLayers: number;
  readonly decoderSize: number;
  readonly featureBins: number;
  /** The number of durations that the joint tells apart. */
  readonly durations: number;
};

/** The model that comes with the server. */
export type PackagedModel = {
  readonly kind: 'packaged';
  readonly id: string;
  readonly name: string;
  /** The npm package it comes from. */
  readonly package: string;
  readonly licence: string;
  readonly attribution: string;
  readonly languages: readonly string[];
  readonly memoryBytes: number;
};

/** A model this server can run by itself. */
export type KnownModel = FetchedModel | PackagedModel;

/** The bytes of all of a model's files. */
export function totalBytes(model: FetchedModel): number {
  return model.files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Room left on the disk for others when a model is ready. */
const SPARE_DISK_BYTES = 50_000_000;

/**
 * The disk that must be free for it: what is fetched, beside it what is made of that, and a little
 * for everybody else.
 */
export function diskBytes(model: FetchedModel): number {
  return 2 * totalBytes(model) + SPARE_DISK_BYTES;
}

/**
 * The place of a model's version below the folder of all models. A version in `ready` is whole: it
 * gets its name in one step, when all its files have been written and checked.
 */
export type ModelFolder = {
  /** The folder of this version. */
  readonly root: string;
  /** Files as they are fetched, each `<name>.part` until it is whole. */
  readonly files: string;
  /** A conversion under way. */
  readonly making: string;
  readonly ready: string;
  /** The process that works on it. */
  readonly lock: string;
  /** The result of the first load. */
  readonly trial: string;
};

/** Says what lies in `ready`; written last. */
type ReadyModel = {
  readonly format: 1;
  readonly id: string;
  readonly commit: string;
  /** The files of `ready`, as the engine takes them. */
  readonly files: readonly ModelFile[];
};

/** The names of the files in `ready`, whatever they were called where they came from. */
export const READY_FILES = {
  encoder: 'encoder.onnx',
  decoder: 'decoder.onnx',
  joiner: 'joiner.onnx',
  tokens: 'tokens.txt',
} as const;

/** The file in `ready` that says what is there. */
export const READY_NOTE = 'model.json';

/** As much of a commit as a folder's name needs. */
export const versionOf = (model: FetchedModel): string => model.commit.slice(0, 12);

/** The folder of a model's version below `modelsRoot`. */
export function folderOf(modelsRoot: string, model: FetchedModel): ModelFolder {
  const root = join(modelsRoot, model.id, versionOf(model));
  return {
    root,
    files: join(root, 'files'),
    making: join(root, 'making'),
    ready: join(root, 'ready'),
    lock: join(root, 'lock'),
    trial: join(root, 'trial.json'),
  };
}

/** The model that is ready in a folder; null when none is, or a file is missing or of another length. */
export async function readReady(folder: ModelFolder): Promise<ReadyModel | null> {
  const note = await readNote(join(folder.ready, READY_NOTE));
  if (note === null) return null;
  for (const { name, bytes } of note.files) {
    if ((await lengthOf(join(folder.ready, name))) !== bytes) return null;
  }
  return note;
}

async function readNote(path: string): Promise<ReadyModel | null> {
  try {
    const note = JSON.parse(await readFile(path, 'utf8')) as Partial<ReadyModel> | null;
    return note?.format === 1 && Array.isArray(note.files) ? (note as ReadyModel) : null;
  } catch {
    return null;
  }
}

/** A file's length in bytes; null when there is none. */
export function lengthOf(path: string): Promise<number | null> {
  return stat(path).then(
    ({ size }) => size,
    () => null,
  );
}

/** Deletes a version with all that was begun of it. */
export async function removeVersion(folder: ModelFolder): Promise<void> {
  // The note that it is whole goes first: half of it must never be taken for all of it.
  await rm(join(folder.ready, READY_NOTE), { force: true });
  await rm(folder.root, { recursive: true, force: true });
}
