import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandPaths } from '../system-programs.ts';

/**
 * Firefox's audio stands still where no sound server is: one of our own, with a loudspeaker that
 * nobody hears, for the time of the tests. Does nothing where PulseAudio is not installed.
 */
export default async function startSoundServer(): Promise<() => void> {
  const program = commandPaths(['pulseaudio']).find((path) => existsSync(path));
  if (!program) return () => {};
  const folder = mkdtempSync(join(tmpdir(), 'diktera-sound-'));
  const socket = join(folder, 'socket');
  const before = process.env.PULSE_SERVER;
  const server = spawn(
    program,
    [
      '-n',
      '--daemonize=no',
      '--use-pid-file=no',
      '--exit-idle-time=-1',
      '--disable-shm=yes',
      '--log-level=error',
      `--load=module-native-protocol-unix auth-anonymous=1 socket=${socket}`,
      '--load=module-null-sink sink_name=out',
    ],
    {
      stdio: 'ignore',
      env: { ...process.env, HOME: folder, XDG_RUNTIME_DIR: folder, PULSE_RUNTIME_PATH: folder },
    },
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.once('exit', (code) => reject(new Error(`pulseaudio ended with code ${code}`)));
    const timer = setInterval(() => {
      if (!existsSync(socket)) return;
      clearInterval(timer);
      resolve();
    }, 50);
  });
  process.env.PULSE_SERVER = `unix:${socket}`;
  return () => {
    server.removeAllListeners('exit');
    server.kill();
    rmSync(folder, { recursive: true, force: true });
    if (before === undefined) delete process.env.PULSE_SERVER;
    else process.env.PULSE_SERVER = before;
  };
}
