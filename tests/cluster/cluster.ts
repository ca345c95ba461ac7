import { mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EnginePool, freePorts, type Programs, startEngines } from './parts.ts';
import {
  type Balancer,
  createServers,
  createStore,
  type Servers,
  type Store,
  startBalancer,
} from './servers.ts';

/** The numbers of servers and engines in `deploy`'s settings. */
export const SERVERS = 3;
export const ENGINES = 4;

/** Files an engine works on at once. */
export const ENGINE_PLACES = 2;

/** The name people know it by, as the settings have it. */
export const PUBLIC_HOST = 'dikt.example.se';

/** Everything between speakers and text, on this machine. */
export type Cluster = {
  readonly url: string;
  readonly balancer: Balancer;
  readonly servers: Servers;
  readonly store: Store;
  readonly engines: EnginePool;
  /** Processes by what they are, those that run now. */
  processIds(): Readonly<Record<'servers' | 'balancer' | 'store' | 'engines', readonly number[]>>;
  stop(): Promise<void>;
};

/**
 * Starts a cluster whose engines together do `audioSecondsPerSecond`, and waits until it is ready.
 * Logs go to `.cache/cluster`, under `name`.
 */
export async function startCluster(
  programs: Programs,
  audioSecondsPerSecond: number,
  name: string,
): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'diktera-cluster-'));
  const log = (what: string) => {
    mkdirSync('.cache/cluster', { recursive: true });
    return openSync(`.cache/cluster/${name}-${what}.log`, 'w');
  };
  const [bind = 0, enginesBind = 0, storePort = 0, ...ports] = await freePorts(
    3 + 2 * SERVERS + ENGINES,
  );
  const serverPorts = ports.slice(0, SERVERS);
  const metricsPorts = ports.slice(SERVERS, 2 * SERVERS);
  const enginePorts = ports.slice(2 * SERVERS);
  const local = (port: number) => `127.0.0.1:${port}`;

  const engines = await startEngines({
    ports: enginePorts,
    places: ENGINE_PLACES,
    audioSecondsPerSecond: audioSecondsPerSecond / (ENGINES * ENGINE_PLACES),
  });
  const store = createStore(programs.store, storePort, log('store'));
  await store.start();
  const balancer = startBalancer(
    programs.balancer,
    {
      bind: local(bind),
      servers: serverPorts.map(local),
      enginesBind: local(enginesBind),
      engines: enginePorts.map(local),
      enginePlaces: ENGINE_PLACES + 1,
      socket: join(folder, 'haproxy.sock'),
    },
    log('balancer'),
  );
  await balancer.settled(0, ENGINES);
  const servers = createServers(
    (index) => ({
      HOST: '127.0.0.1',
      PORT: String(serverPorts[index]),
      METRICS_PORT: String(metricsPorts[index]),
      // The balancer's own; speakers have others of 127.0.0.0/8.
      TRUST_PROXY: '127.0.0.1/32',
      REDIS_URL: store.url,
      OPENAI_BASE_URL: `http://${local(enginesBind)}/v1`,
    }),
    log('servers'),
  );
  await Promise.all(Array.from({ length: SERVERS }, (_, index) => servers.start(index)));
  await balancer.settled(SERVERS, ENGINES);

  return {
    url: `http://${local(bind)}`,
    balancer,
    servers,
    store,
    engines,
    processIds: () => ({
      servers: servers.processIds(),
      balancer: [balancer.processId],
      store: [store.processId()],
      engines: [engines.processId],
    }),
    async stop() {
      const left = servers.processIds().length;
      for (let index = 0; index < SERVERS && left > 0; index++) {
        await servers.kill(index).catch(() => undefined);
      }
      await balancer.stop();
      await store.kill();
      engines.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
