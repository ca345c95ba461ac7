import { spawn } from 'node:child_process';
import { createServer } from 'node:net';

/** Below those that Linux and Windows give to whoever asks for any port. */
const FIRST_PORT = 20_000;
const PORTS = 12_000;

/**
 * A port of this machine that nobody listens on now, and that nobody is given by chance: a server
 * that goes away finds it free when it comes back, whatever else runs beside it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve, reject) => {
    probe.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

/** Ends the watch; what was watched lives on. */
export type EndWatch = () => void;

/**
 * Has a process group killed, and its folders deleted, when this process dies in whatever way. A
 * shell in a group of its own waits for the end of its input, which only this process holds open.
 */
export function killWithParent(groupId: number, ...folders: readonly string[]): EndWatch {
  const script = 'read _; kill -s KILL -- "-$0"; sleep 1; rm -rf -- "$@"';
  const watch = spawn('sh', ['-c', script, String(groupId), ...folders], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Where there is no such shell, nobody watches.
  watch.on('error', () => undefined);
  watch.unref();
  return () => {
    watch.kill('SIGKILL');
  };
}
