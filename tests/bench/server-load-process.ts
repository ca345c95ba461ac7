import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { freePort } from '../e2e/helpers/server.ts';

/** The built server in a process of its own. */
export type ServerProcess = {
  readonly url: string;
  /** Its memory now, in bytes. */
  residentBytes(): Promise<number>;
  /** Processor time it has used since it began, of all its threads, in seconds. */
  cpuSeconds(): Promise<number>;
  stop(): Promise<void>;
};

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const READY_WITHIN_MS = 30_000;

/** Starts it as an operator does, on a free port of this machine alone, and waits until it is ready. */
export async function startServerProcess(
  env: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const metricsPort = await freePort();
  const child: ChildProcess = spawn(process.execPath, ['dist/server/main.js'], {
    cwd: ROOT,
    env: {
      ...process.env,
      PORT: '0',
      HOST: '127.0.0.1',
      METRICS_PORT: String(metricsPort),
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
  const metric = async (name: string) => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  };
  return {
    url,
    residentBytes: () => metric('process_resident_memory_bytes'),
    cpuSeconds: () => metric('process_cpu_seconds_total'),
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
