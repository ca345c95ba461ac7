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

/** What is needed is never said as less than it is, nor what there is as more. */
function gb(bytes: number, rounded: 'up' | 'down' = 'down'): string {
  const tenths = bytes / 1e8;
  const whole = rounded === 'up' ? Math.ceil(tenths) : Math.floor(tenths);
  return `${(whole / 10).toFixed(1)} GB`;
}
