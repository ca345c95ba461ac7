import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { HealthAnswer } from '../../server/routes/health.ts';
import { familyCpuSeconds, familyResidentBytes } from './process-family.ts';

/** The server in a process of its own. */
export type ServerProcess = {
  readonly url: string;
  readonly pid: number;
  /** Its memory and that of its processes now, in bytes. */
  residentBytes(): Promise<number>;
  /** Processor time it and its processes have used since it began, in seconds. */
  cpuSeconds(): Promise<number>;
  /** Fulfilled with its exit code when it has ended; null where a signal ended it. */
  readonly ended: Promise<number | null>;
  /** Asks it to end, and waits until it has; gives its exit code. */
  stop(): Promise<number | null>;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
};

/** The program: the build, or the sources. */
export type ServerProgram = 'build' | 'source';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const READY_WITHIN_MS = 30_000;

const ARGUMENTS: Readonly<Record<ServerProgram, readonly string[]>> = {
  build: ['dist/server/main.js'],
  source: ['--import', 'tsx', 'server/main.ts'],
};

/**
 * Starts it as an operator does, on a free port of this machine alone, and waits until it is ready.
 * Its log goes to `logFile`, a file that is open.
 */
export async function startServerProcess(
  env: Readonly<Record<string, string>>,
  program: ServerProgram = 'build',
  logFile: number | 'inherit' = 'inherit',
): Promise<ServerProcess> {
  const child: ChildProcess = spawn(process.execPath, ARGUMENTS[program], {
    cwd: ROOT,
    env: { ...process.env, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'error', ...env },
    stdio: ['ignore', 'pipe', logFile],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const url = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(`the server ended with code ${code}`)));
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const found = /http:\S+/.exec(text)?.[0];
      if (found !== undefined) resolve(found);
    });
  });
  const startedMs = performance.now();
  while (!(await isReady(url))) {
    if (performance.now() - startedMs > READY_WITHIN_MS) throw new Error('it does not get ready');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const pid = child.pid ?? 0;
  return {
    url,
    pid,
    ended,
    residentBytes: async () => familyResidentBytes(pid),
    cpuSeconds: async () => familyCpuSeconds(pid),
    async stop() {
      child.kill('SIGTERM');
      return ended;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Every engine of it: with several the server is ready when one is. */
async function isReady(url: string): Promise<boolean> {
  const health = await fetch(`${url}/api/health`);
  const { engines } = (await health.json()) as Pick<HealthAnswer, 'engines'>;
  return health.status === 200 && engines.every(({ status }) => status === 'ready');
}
