import { statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { diskBytes, type FetchedModel } from '../layout/known-model.ts';
import { FetchProblem } from './fetch-problem.ts';

/** What a machine has, in bytes. */
export type MachineRoom = {
  /** Free on the disk of a folder; null where the system does not say. */
  readonly freeDiskBytes: (folder: string) => Promise<number | null>;
  /** What all processes may use: the machine's memory, or the container's. */
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

/** So that nobody else's disk is full when we are done. */
const SPARE_DISK_BYTES = 50_000_000;

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
      `${model.name} needs ${gb(model.memoryBytes)} of memory, and there are ${gb(memory)}; ` +
      'a smaller model is KBLab/kb-whisper-base, by way of ASR_ROUTES=sv=transformers or of ' +
      'whisper.cpp on another machine';
    throw new FetchProblem('no-room', 'memory-small', message);
  }
  const needed = diskBytes(model) - hereBytes + SPARE_DISK_BYTES;
  const free = await freeDiskBytes(folder);
  if (free === null || free >= needed) return;
  const message = `${model.name} needs ${gb(needed)} more on the disk, and ${gb(free)} are free`;
  throw new FetchProblem('no-room', 'disk-small', message);
}

function gb(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}
