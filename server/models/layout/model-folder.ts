import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FetchedModel, ModelFile } from './known-model.ts';

/**
 * Where a version of a model lies below the folder of all models. What is in `ready` is whole: it
 * gets its name in one step, when all that is in it has been written and checked.
 */
export type ModelFolder = {
  /** Of this version. */
  readonly root: string;
  /** Files as they are fetched, each `<name>.part` until it is whole. */
  readonly files: string;
  /** A conversion under way. */
  readonly making: string;
  readonly ready: string;
  /** Who works on it. */
  readonly lock: string;
  /** What the first load showed. */
  readonly trial: string;
};

/** Says what lies in `ready`; written last. */
export type ReadyModel = {
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

/** What is ready in a folder; null when nothing is, or a file is missing or of another length. */
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
  // What says that it is whole goes first: half of it must never be taken for all of it.
  await rm(join(folder.ready, READY_NOTE), { force: true });
  await rm(folder.root, { recursive: true, force: true });
}
