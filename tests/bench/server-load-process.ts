import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The built server in a process of its own. */
export type ServerProcess = {
  readonly url: string;
  /** Its memory and that of its processes now, in bytes. */
  residentBytes(): Promise<number>;
  /** Processor time it and its processes have used since it began, in seconds. */
  cpuSeconds(): Promise<number>;
  stop(): Promise<void>;
};

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const READY_WITHIN_MS = 30_000;

/** Starts it as an operator does, on a free port of this machine alone, and waits until it is ready. */
export async function startServerProcess(
  env: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const child: ChildProcess = spawn(process.execPath, ['dist/server/main.js'], {
    cwd: ROOT,
    env: {
      ...process.env,
      PORT: '0',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'error',
      // All clients are this one machine.
      UPLOADS_PER_CLIENT: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => reject(new Error('the server ended')));
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const found = /http:\S+/.exec(text)?.[0];
      if (found !== undefined) resolve(found);
    });
  });
  const startedMs = performance.now();
  while ((await fetch(`${url}/api/health`)).status !== 200) {
    if (performance.now() - startedMs > READY_WITHIN_MS) throw new Error('it does not get ready');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const pid = child.pid ?? 0;
  return {
    url,
    residentBytes: async () => sum(familyOf(pid).map(residentBytes)),
    cpuSeconds: async () => sum(familyOf(pid).map(cpuSeconds)),
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** A process and the children it has, as Linux knows them. */
function familyOf(pid: number): number[] {
  const children = readOf(pid, `task/${pid}/children`).split(' ').filter(Boolean).map(Number);
  return [pid, ...children.flatMap(familyOf)];
}

function residentBytes(pid: number): number {
  return 1_024 * Number(/VmRSS:\s+(\d+)/.exec(readOf(pid, 'status'))?.[1] ?? 0);
}

/** Its own, and that of children that have ended. */
function cpuSeconds(pid: number): number {
  const fields = readOf(pid, 'stat').split(') ').at(-1)?.split(' ') ?? [];
  return sum(fields.slice(11, 15).map(Number)) / TICKS_PER_SECOND;
}

const TICKS_PER_SECOND = 100;

/** Empty when the process has ended meanwhile. */
function readOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
