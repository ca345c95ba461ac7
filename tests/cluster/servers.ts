import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type ServerProcess, startServerProcess } from '../helpers/server-process.ts';
import { type RunningProgram, startProgram, until } from './parts.ts';

/** Valkey or Redis with the settings of `deploy`; it can be killed and started again. */
export type Store = {
  readonly url: string;
  readonly processId: () => number;
  /** Starts it and waits until it answers; what it knew is gone. */
  start(): Promise<void>;
  kill(): Promise<void>;
};

const STORE_SETTINGS = fileURLToPath(new URL('../../deploy/valkey.conf', import.meta.url));

/** Does not start it yet. */
export function createStore(program: string, port: number, logFile: number): Store {
  let running: RunningProgram | null = null;
  return {
    url: `redis://127.0.0.1:${port}`,
    processId: () => running?.processId ?? 0,
    async start() {
      const args = [STORE_SETTINGS, '--port', String(port), '--dir', tmpdir()];
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

/** HAProxy with the settings of `deploy`. */
export type Balancer = {
  readonly processId: number;
  /** Waits until so many servers, and so many engines, are sent requests. */
  settled(servers: number, engines: number): Promise<void>;
  stop(): Promise<void>;
};

/** Where everything is: `host:port`, and a path for its socket. */
export type BalancerAddresses = {
  readonly bind: string;
  readonly servers: readonly string[];
  readonly enginesBind: string;
  readonly engines: readonly string[];
  /** Files an engine works on at once, as the balancer counts. */
  readonly enginePlaces: number;
  readonly socket: string;
};

const BALANCER_SETTINGS = fileURLToPath(new URL('../../deploy/haproxy.cfg', import.meta.url));

/** Starts it; it may not have looked at anybody yet. */
export function startBalancer(
  program: string,
  addresses: BalancerAddresses,
  logFile: number,
): Balancer {
  const { bind, servers, enginesBind, engines, enginePlaces, socket } = addresses;
  const numbered = (name: string, all: readonly string[]) =>
    Object.fromEntries(all.map((one, index) => [`${name}_${index + 1}`, one]));
  const env = {
    DIKTERA_BIND: bind,
    ENGINES_BIND: enginesBind,
    ENGINE_PLACES: String(enginePlaces),
    HAPROXY_SOCKET: socket,
    ...numbered('DIKTERA', servers),
    ...numbered('ENGINE', engines),
  };
  const running: RunningProgram = startProgram(
    program,
    ['-db', '-f', BALANCER_SETTINGS],
    env,
    logFile,
  );
  return {
    processId: running.processId,
    settled: (serverCount, engineCount) =>
      until('the balancer sees its servers', async () => {
        const states = await ask(socket, 'show stat\n');
        const up = (backend: string) =>
          states.split('\n').filter((line) => isUp(line, backend)).length;
        return up('servers') === serverCount && up('engines') === engineCount;
      }),
    stop: running.kill,
  };
}

/** A line of its table: backend, server, 15 figures, state. */
function isUp(line: string, backend: string): boolean {
  const [name, server = '', ...figures] = line.split(',');
  return name === backend && /-\d$/.test(server) && figures[15]?.startsWith('UP') === true;
}

function ask(socket: string, question: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    connect(socket)
      .setEncoding('utf8')
      .on('data', (part: string) => {
        answer += part;
      })
      .on('error', reject)
      .on('close', () => resolve(answer))
      .end(question);
  });
}

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

/** Reads the file as systemd and Docker do. */
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
