import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type RunningProgram, startProgram, until } from './child.ts';

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

const SETTINGS = fileURLToPath(new URL('../../deploy/haproxy.cfg', import.meta.url));

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
  const running: RunningProgram = startProgram(program, ['-db', '-f', SETTINGS], env, logFile);
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
