import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type ServerProcess, startServerProcess } from '../helpers/server-process.ts';

/** The production build, a few times, with the settings of `deploy`. */
export type Servers = {
  /** Processes of those that run. */
  processIds(): readonly number[];
  /** Starts one and waits until it is ready. */
  start(index: number): Promise<void>;
  /** SIGTERM, and waits for its end; gives the exit code and how long it took, in ms. */
  stop(index: number): Promise<{ readonly code: number | null; readonly tookMs: number }>;
  /** SIGKILL. */
  kill(index: number): Promise<void>;
};

const SETTINGS = fileURLToPath(new URL('../../deploy/diktera.env', import.meta.url));

/** What the file says, as systemd and Docker read it. */
export function readEnvFile(text: string): Readonly<Record<string, string>> {
  const lines = text.split('\n').filter((line) => /^[A-Z_]+=/.test(line));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

/** None runs yet. `env` says where each is and where the others are, over the settings. */
export function createServers(
  env: (index: number) => Readonly<Record<string, string>>,
  logFile: number,
): Servers {
  const settings = readEnvFile(readFileSync(SETTINGS, 'utf8'));
  const running = new Map<number, ServerProcess>();

  function take(index: number): ServerProcess {
    const server = running.get(index);
    if (server === undefined) throw new Error(`server ${index + 1} does not run`);
    running.delete(index);
    return server;
  }

  return {
    processIds: () => [...running.values()].map(({ pid }) => pid),
    async start(index) {
      // All clients are this one machine.
      const all = {
        LOG_LEVEL: 'warn',
        UPLOADS_PER_CLIENT: '0',
        AUDIO_S_PER_CLIENT: '0',
        ...settings,
        ...env(index),
      };
      running.set(index, await startServerProcess(all, 'build', logFile));
    },
    async stop(index) {
      const startedMs = performance.now();
      const code = await take(index).stop();
      return { code, tookMs: performance.now() - startedMs };
    },
    kill: (index) => take(index).kill(),
  };
}
