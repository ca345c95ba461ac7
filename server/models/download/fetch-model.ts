import { mkdir, statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  codeOf,
  diskBytes,
  type FetchedModel,
  findFault,
  lengthOf,
  type ModelFile,
  type ModelFolder,
  readReady,
} from '../layout/model-folder.ts';
import { copyFrom, downloadFile } from './download-file.ts';
import { diskProblem, type Environment, FetchProblem } from './open-download.ts';
import { takeLock } from './owner-lock.ts';

/** The room of a machine, in bytes. */
export type MachineRoom = {
  /** Free on the disk of a folder; null where the system does not say. */
  readonly freeDiskBytes: (folder: string) => Promise<number | null>;
  /** The memory that all processes may use: the machine's, or the container's. */
  readonly memoryBytes: () => number;
};

/** This machine. */
export const thisMachine: MachineRoom = {
  freeDiskBytes: (folder) =>
    statfs(folder).then(
      ({ bavail, bsize }) => bavail * bsize,
      () => null,
    ),
  memoryBytes: () => Math.min(totalmem(), process.constrainedMemory() || totalmem()),
};

/**
 * Throws, before anything is fetched, when a model has no room on the disk of `folder` or in
 * memory. `hereBytes` of it lie there already.
 */
export async function requireRoom(
  model: FetchedModel,
  folder: string,
  hereBytes: number,
  { freeDiskBytes, memoryBytes }: MachineRoom,
): Promise<void> {
  const memory = memoryBytes();
  if (memory < model.memoryBytes) {
    const message =
      `${model.name} needs ${gb(model.memoryBytes, 'up')} of memory, and there are ${gb(memory)}; ` +
      'a smaller model is KBLab/kb-whisper-base, by way of ASR_ROUTES=sv=transformers or of ' +
      'whisper.cpp on another machine';
    throw new FetchProblem('no-room', 'memory-small', message);
  }
  const needed = diskBytes(model) - hereBytes;
  const free = await freeDiskBytes(folder);
  if (free === null || free >= needed) return;
  const message = `${model.name} needs ${gb(needed, 'up')} more on the disk, and ${gb(free)} are free`;
  throw new FetchProblem('no-room', 'disk-small', message);
}

/** Rounds needs up and room down. */
function gb(bytes: number, rounded: 'up' | 'down' = 'down'): string {
  const tenths = bytes / 1e8;
  const whole = rounded === 'up' ? Math.ceil(tenths) : Math.floor(tenths);
  return `${(whole / 10).toFixed(1)} GB`;
}

/** Where a model's files can be had. */
export type ModelSource =
  /** Hugging Face or what is laid out like it. */
  | { readonly kind: 'hub'; readonly address: string }
  /** A folder on this machine that somebody put the files into. */
  | { readonly kind: 'folder'; readonly path: string };

/** The parts that fetching needs. */
export type FetchOptions = {
  readonly model: FetchedModel;
  readonly folder: ModelFolder;
  /** Asked one after the other. */
  readonly sources: readonly ModelSource[];
  readonly env: Environment;
  readonly signal: AbortSignal;
  /**
   * Called with the number of bytes here, of all files; also while another process fetches them.
   */
  readonly onBytes: (bytes: number) => void;
  /** @default this machine */
  readonly room?: MachineRoom;
  /** Waits so many ms, or until the signal aborts. @default with a timer */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** The time a connection may be silent, in ms. @default 30000 */
  readonly silenceMs?: number;
};

/** Tries of one file in a row that brought nothing, over all sources. */
const MAX_VAIN_TRIES = 6;
/** A server that lies would else be asked for the same bytes for ever. */
const MAX_SPOILT_TRIES = 3;
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 30_000;
const LOOK_MS = 500;

/**
 * Sees to it that a model is ready: fetches what is missing of its files, and has `prepare` make of
 * them what the engine takes. One process does it, others wait for it and take over when it ends
 * before. Nothing that has come is ever fetched again unless it is wrong. Rejects with a
 * FetchProblem, with what `prepare` throws, or with the signal's reason.
 */
export async function fetchModel(
  options: FetchOptions,
  prepare: () => Promise<void>,
): Promise<void> {
  const { folder, signal, pause = pauseFor } = options;
  for (;;) {
    signal.throwIfAborted();
    if ((await readReady(folder)) !== null) return;
    await mkdir(folder.root, { recursive: true }).catch(throwReadably);
    const unlock = await takeLock(folder.lock).catch(throwReadably);
    if (unlock === null) {
      options.onBytes(await bytesHere(options));
      await pause(LOOK_MS, signal);
      continue;
    }
    try {
      await fetchAll(options);
      await prepare().catch(throwReadably);
      return;
    } finally {
      await unlock();
    }
  }
}

async function fetchAll(options: FetchOptions): Promise<void> {
  const { model, folder, onBytes, room = thisMachine } = options;
  await mkdir(folder.files, { recursive: true }).catch(throwReadably);
  const hereBytes = await bytesHere(options);
  await requireRoom(model, folder.root, hereBytes, room);
  let doneBytes = 0;
  for (const file of model.files) {
    const tellBytes = (bytes: number) => onBytes(doneBytes + bytes);
    await fetchFile(file, { ...options, onBytes: tellBytes });
    doneBytes += file.bytes;
    onBytes(doneBytes);
  }
}

async function fetchFile(file: ModelFile, options: FetchOptions): Promise<void> {
  const { folder, signal, pause = pauseFor } = options;
  const path = join(folder.files, file.name);
  if ((await lengthOf(path)) === file.bytes && (await findFault(path, file)) === null) return;
  let open = options.sources;
  const patience = createPatience();
  while (open.length > 0) {
    for (const source of open) {
      const before = (await lengthOf(`${path}.part`)) ?? 0;
      const problem = await tryOnce(file, path, source, options);
      if (problem === null) return;
      patience.spend(problem, source, ((await lengthOf(`${path}.part`)) ?? 0) > before);
      if (problem.kind === 'wrong-source') open = open.filter((other) => other !== source);
    }
    if (open.length > 0) await pause(patience.waitMs(), signal);
  }
  throw patience.problem();
}

/** The number of times a file is asked for. */
function createPatience() {
  let vain = 0;
  let spoilt = 0;
  let last = new FetchProblem(
    'wrong-source',
    'refused',
    'there is no address to fetch models from',
  );
  const saidBy = new Map<ModelSource, string>();
  /** The last, with what every address had to say: one that is wrong must not be hidden by it. */
  function problem(): FetchProblem {
    const { kind, fault, isSpoilt } = last;
    const said = [...new Set(saidBy.values())].join('; ');
    return said === '' ? last : new FetchProblem(kind, fault, said, { cause: last, isSpoilt });
  }
  return {
    problem,
    waitMs: () => Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** vain),
    /** Notes a try that failed; throws when it was the last. */
    spend(failed: FetchProblem, source: ModelSource, hasMore: boolean): void {
      last = failed;
      saidBy.set(source, failed.message);
      // A line that is cut every few megabytes still brings all of it.
      vain = hasMore ? 0 : vain + 1;
      if (failed.isSpoilt) spoilt++;
      const isOver = vain >= MAX_VAIN_TRIES || spoilt >= MAX_SPOILT_TRIES;
      if (failed.kind === 'no-room') throw failed;
      if (isOver) throw problem();
    },
  };
}

async function tryOnce(
  file: ModelFile,
  path: string,
  source: ModelSource,
  options: FetchOptions,
): Promise<FetchProblem | null> {
  const { model, env, signal, onBytes, silenceMs = 30_000 } = options;
  try {
    if (source.kind === 'folder') {
      await copyFrom(source.path, file, path, signal);
    } else {
      const { repository, commit } = model;
      const address = `${source.address}/${repository}/resolve/${commit}/${file.name}`;
      await downloadFile({ address, file, path, env, signal, silenceMs, onBytes });
    }
    return null;
  } catch (error) {
    if (error instanceof FetchProblem) return error;
    throw error;
  }
}

/** The files that lie there, whole or not. */
async function bytesHere({ model, folder }: FetchOptions): Promise<number> {
  let bytes = 0;
  for (const { name } of model.files) {
    const path = join(folder.files, name);
    bytes += (await lengthOf(path)) ?? (await lengthOf(`${path}.part`)) ?? 0;
  }
  return bytes;
}

function throwReadably(error: unknown): never {
  throw diskProblem(codeOf(error)) ?? error;
}

async function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal, ref: false }).catch(() => signal.throwIfAborted());
}
