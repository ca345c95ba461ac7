import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type RunningProgram, startProgram, until } from './child.ts';

/** Valkey or Redis with the settings of `deploy`; it can be killed and started again. */
export type Store = {
  readonly url: string;
  readonly processId: () => number;
  /** Starts it and waits until it answers; what it knew is gone. */
  start(): Promise<void>;
  kill(): Promise<void>;
};

const SETTINGS = fileURLToPath(new URL('../../deploy/valkey.conf', import.meta.url));

/** Does not start it yet. */
export function createStore(program: string, port: number, logFile: number): Store {
  let running: RunningProgram | null = null;
  return {
    url: `redis://127.0.0.1:${port}`,
    processId: () => running?.processId ?? 0,
    async start() {
      const args = [SETTINGS, '--port', String(port), '--dir', tmpdir()];
      running = startProgram(program, args, {}, logFile);
      await until('the store answers', () => answers(port));
    },
    async kill() {
      await running?.kill();
      running = null;
    },
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', reject);
    socket.once('data', (said) => {
      socket.destroy();
      resolve(said.toString().startsWith('+PONG'));
    });
    socket.write('PING\r\n');
  });
}
