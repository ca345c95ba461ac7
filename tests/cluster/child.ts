import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';

/** A program of others at work. */
export type RunningProgram = {
  readonly processId: number;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
};

/** Starts a program; what it prints goes to `logFile`, a file that is open. */
export function startProgram(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  logFile: number,
): RunningProgram {
  const child: ChildProcess = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', logFile, logFile],
  });
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  return {
    processId: child.pid ?? 0,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Ports of this machine that nobody has just now. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) => {
          server.listen(0, '127.0.0.1', () => {
            const address = server.address();
            resolve(typeof address === 'object' && address !== null ? address.port : 0);
          });
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

/** Waits until something holds, looking often; throws when it does not within `withinMs`. */
export async function until(
  what: string,
  holds: () => Promise<boolean>,
  withinMs = 30_000,
): Promise<void> {
  const startedMs = performance.now();
  while (!(await holds().catch(() => false))) {
    if (performance.now() - startedMs > withinMs) throw new Error(`${what}: not within 30 s`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
