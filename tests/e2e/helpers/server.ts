import { type ChildProcess, spawn } from 'node:child_process';
import { freePort, killWithParent } from '../../drivers/processes.ts';

const READY_DEADLINE_MS = 60_000;

/** The production server in a process of its own, its engine ready. */
export type RunningServer = {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
};

/**
 * Starts `dist/server/main.js` with `settings` in its environment; it is ready when this is. It ends
 * with the tests, however these end.
 */
export async function startServer(
  port?: number,
  settings: NodeJS.ProcessEnv = {},
): Promise<RunningServer> {
  const chosen = port ?? (await freePort());
  const child = spawn(process.execPath, ['dist/server/main.js'], {
    env: {
      ...process.env,
      PORT: String(chosen),
      HOST: '127.0.0.1',
      LOG_LEVEL: 'warn',
      // A second engine takes seconds of a core to load, and none of these tests kills the first.
      ENGINE_SPARE: 'false',
      ...settings,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
    // At the head of a group, which is killed with this process.
    detached: true,
  });
  if (child.pid !== undefined) child.once('exit', killWithParent(child.pid));
  const url = `http://127.0.0.1:${chosen}`;
  await untilReady(url, child);
  return {
    url,
    port: chosen,
    stop: () => stop(child),
  };
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  const deadlineMs = performance.now() + READY_DEADLINE_MS;
  while (performance.now() < deadlineMs) {
    if (child.exitCode !== null) throw new Error(`The server ended with code ${child.exitCode}`);
    const answer = await fetch(`${url}/api/health`).catch(() => null);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  child.kill('SIGKILL');
  throw new Error(`The server was not ready within ${READY_DEADLINE_MS} ms`);
}

function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}
