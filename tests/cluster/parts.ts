import { type ChildProcess, fork, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import {
  commandPaths,
  installDebianPackages,
  isRootOnDebian,
  namedByVariable,
  say,
} from '../../tools/browsers.ts';

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
  withinMs = 120_000,
): Promise<void> {
  const startedMs = performance.now();
  while (!(await holds().catch(() => false))) {
    if (performance.now() - startedMs > withinMs)
      throw new Error(`${what}: not within ${withinMs / 1_000} s`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The programs of others that a cluster has. */
export type Programs = { readonly balancer: string; readonly store: string };

type Wanted = {
  /** Names its path, when it is set. */
  readonly variable: string;
  /** Best first. */
  readonly commands: readonly string[];
  /** Debian's; the first one there is. */
  readonly packages: readonly string[];
};

const BALANCER: Wanted = { variable: 'HAPROXY', commands: ['haproxy'], packages: ['haproxy'] };

const STORE: Wanted = {
  variable: 'REDIS_SERVER',
  commands: ['valkey-server', 'redis-server'],
  packages: ['valkey-server', 'redis-server'],
};

/** Finds HAProxy and Valkey or Redis, or installs them. When neither works it throws what to do. */
export async function findOrInstallPrograms(): Promise<Programs> {
  return { balancer: await findOrInstall(BALANCER), store: await findOrInstall(STORE) };
}

async function findOrInstall(wanted: Wanted): Promise<string> {
  return find(wanted) ?? (await install(wanted));
}

function find({ variable, commands }: Wanted): string | null {
  return namedByVariable(variable) ?? commandPaths(commands).find(existsSync) ?? null;
}

async function install(wanted: Wanted): Promise<string> {
  const { variable, commands, packages } = wanted;
  const names = commands.join(' or ');
  if (!isRootOnDebian()) {
    throw new Error(`${names} is needed: install it, or name its path with ${variable}.`);
  }
  for (const name of packages) {
    say(`No ${names} here: installing Debian’s ${name}`);
    const failure = await installDebianPackages([name]).then(() => null, String);
    const found = find(wanted);
    if (found !== null) return found;
    if (failure !== null) say(failure);
  }
  throw new Error(`${names} could not be installed; name its path with ${variable}.`);
}

/** A message to the engines' process. */
export type EngineOrder =
  /** From now on an engine works at this share of its speed. */
  | { readonly kind: 'speed'; readonly engine: number; readonly share: number }
  /** An engine dies, with all it had; or is there again. */
  | { readonly kind: 'die'; readonly engine: number }
  | { readonly kind: 'live'; readonly engine: number }
  /** Asks for a report. */
  | { readonly kind: 'report' };

/** A message from it. */
export type EngineNews =
  | { readonly kind: 'ready' }
  /** Each recording transcribed to its end, as often as it was, by its sound. */
  | { readonly kind: 'report'; readonly heard: readonly string[] };

/** The engines' settings, as the process's one argument (JSON). */
export type EnginePoolShape = {
  readonly ports: readonly number[];
  /** Files an engine works on at once. */
  readonly places: number;
  /** Audio seconds a second on each place. */
  readonly audioSecondsPerSecond: number;
};

/** The stand-in engines, in a process of their own. */
export type EnginePool = {
  readonly processId: number;
  /** Has an engine work at a share of its speed, 1 being as before. */
  setSpeed(engine: number, share: number): void;
  die(engine: number): void;
  live(engine: number): void;
  /** Every recording that was transcribed to its end, as often as it was, by its sound. */
  heard(): Promise<readonly string[]>;
  stop(): void;
};

const PROGRAM = fileURLToPath(new URL('./engine-process.ts', import.meta.url));

/** Starts them. */
export async function startEngines(shape: EnginePoolShape): Promise<EnginePool> {
  const child = fork(PROGRAM, [JSON.stringify(shape)], { execArgv: ['--import', 'tsx'] });
  const order = (said: EngineOrder) => void child.send(said);
  const news = <Kind extends EngineNews['kind']>(kind: Kind) =>
    new Promise<Extract<EngineNews, { kind: Kind }>>((resolve, reject) => {
      child.once('exit', () => reject(new Error('the engines’ process ended')));
      child.on('message', function listen(said: EngineNews) {
        if (said.kind !== kind) return;
        child.off('message', listen);
        resolve(said as Extract<EngineNews, { kind: Kind }>);
      });
    });
  await news('ready');
  return {
    processId: child.pid ?? 0,
    setSpeed: (engine, share) => order({ kind: 'speed', engine, share }),
    die: (engine) => order({ kind: 'die', engine }),
    live: (engine) => order({ kind: 'live', engine }),
    async heard() {
      const report = news('report');
      order({ kind: 'report' });
      return (await report).heard;
    },
    stop: () => child.disconnect(),
  };
}
