import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandPaths } from '../../tools/browsers.ts';
import { killWithParent } from './processes.ts';

/** As Chromium's fakes are called, which the tests know by name. The first is the default. */
const MICROPHONES = ['Fake Default Audio Input', 'Fake Audio Input 1', 'Fake Audio Input 2'];

/**
 * Firefox's audio stands still where no sound server is, and all its fakes are one microphone: a
 * server of our own for the time of the tests, with a loudspeaker that nobody hears and microphones
 * that hear a tone. Does nothing where PulseAudio is not installed.
 */
export default async function setup(): Promise<() => void> {
  return (await startSoundServer(['--load=module-sine sink=room frequency=440'])) ?? (() => {});
}

/** The same with other sound in the microphones' room; null where PulseAudio is not installed. */
export async function startSoundServer(
  sound: readonly string[] = [],
  microphones: readonly string[] = MICROPHONES,
): Promise<(() => void) | null> {
  const program = commandPaths(['pulseaudio']).find((path) => existsSync(path));
  if (!program) return null;
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
      '--load=module-null-sink sink_name=room',
      // Somebody in a hurry: else such sinks are two seconds late.
      '--load=module-loopback source=room.monitor sink=out latency_msec=20',
      ...sound,
      ...microphones.map(
        (name, at) =>
          `--load=module-remap-source master=room.monitor source_name=microphone${at} source_properties="device.description='${name}'"`,
      ),
    ],
    {
      stdio: 'ignore',
      // At the head of a group, which is killed with this process.
      detached: true,
      env: { ...process.env, HOME: folder, XDG_RUNTIME_DIR: folder, PULSE_RUNTIME_PATH: folder },
    },
  );
  const endWatch = server.pid === undefined ? () => {} : killWithParent(server.pid, folder);
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
    endWatch();
    server.kill();
    rmSync(folder, { recursive: true, force: true });
    if (before === undefined) delete process.env.PULSE_SERVER;
    else process.env.PULSE_SERVER = before;
  };
}
