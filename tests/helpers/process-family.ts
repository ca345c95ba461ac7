import { readdirSync, readFileSync } from 'node:fs';

/** A process and all below it, as Linux knows them; empty elsewhere, or when it has ended. */
export function familyOf(pid: number): number[] {
  if (readOf(pid, 'stat') === '') return [];
  // Any thread may have started some: Firefox's main one starts none.
  const children = namesIn(pid, 'task').flatMap((thread) =>
    readOf(pid, `task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(familyOf)];
}

/** The memory a process has now, in bytes. */
export function residentBytes(pid: number): number {
  return kibibytes(pid, 'VmRSS');
}

/** The most it ever had, in bytes. */
export function mostResidentBytes(pid: number): number {
  return kibibytes(pid, 'VmHWM');
}

/** Processor time of its own and of its children that have ended, in seconds. */
export function cpuSeconds(pid: number): number {
  const fields = readOf(pid, 'stat').split(') ').at(-1)?.split(' ') ?? [];
  const ticks = fields.slice(11, 15).reduce((total, value) => total + Number(value), 0);
  return ticks / TICKS_PER_SECOND;
}

/** Memory of a process and all below it now, in bytes. */
export const familyResidentBytes = (pid: number): number => sum(familyOf(pid).map(residentBytes));

/** Processor time of a process and all below it since it began, in seconds. */
export const familyCpuSeconds = (pid: number): number => sum(familyOf(pid).map(cpuSeconds));

/** The command line. */
export const commandOf = (pid: number): string => readOf(pid, 'cmdline').replaceAll('\0', ' ');

/** Files and sockets it has open. */
export const openFiles = (pid: number): number => namesIn(pid, 'fd').length;

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

const TICKS_PER_SECOND = 100;

function kibibytes(pid: number, name: string): number {
  const line = new RegExp(`${name}:\\s+(\\d+)`).exec(readOf(pid, 'status'));
  return 1_024 * Number(line?.[1] ?? 0);
}

/** Empty when the process has ended meanwhile. */
function namesIn(pid: number, folder: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/${folder}`);
  } catch {
    return [];
  }
}

/** Empty when the process has ended meanwhile. */
function readOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
