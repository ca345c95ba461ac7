import type { Cluster } from './cluster.ts';
import { ENGINES, SERVERS } from './cluster.ts';

/** Faults for a cluster while people dictate. */
export type Story = {
  readonly name: string;
  readonly says: string;
  /** Demand, as a share of what the engines can do, at a share of the story's time. */
  readonly demand: (share: number) => number;
  /** The share of the story's time at which the trouble begins; null when there is none. */
  readonly faultAt: number | null;
  /** Plays the trouble; gives a line on what was seen of it, or ''. */
  readonly play: (cluster: Cluster) => Promise<string>;
};

/** Two thirds of what the engines can do. */
export const USUAL = 2 / 3;
export const DOUBLE = 2;

const FAULT_AT = 0.3;
const STARTS_AGAIN_MS = 5_000;
const STORE_AWAY_MS = 10_000;
const ENGINE_TROUBLE_MS = 20_000;
const SLOW_SHARE = 0.1;

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const usual = () => USUAL;

/** In the order in which they are run. */
export const STORIES: readonly Story[] = [
  {
    name: 'steady',
    says: 'nothing happens',
    demand: usual,
    faultAt: null,
    play: async () => '',
  },
  {
    name: 'rolling',
    says: 'each server is stopped (SIGTERM) and started again, one after the other',
    demand: usual,
    faultAt: FAULT_AT,
    async play({ servers, balancer }) {
      const stops: string[] = [];
      for (let index = 0; index < SERVERS; index++) {
        const { code, tookMs } = await servers.stop(index);
        stops.push(`${(tookMs / 1_000).toFixed(1)} s (code ${code})`);
        await servers.start(index);
        await balancer.settled(SERVERS, ENGINES);
      }
      return `the stops took ${stops.join(', ')}`;
    },
  },
  {
    name: 'server-killed',
    says: 'one server is killed (SIGKILL), and started again 5 s later',
    demand: usual,
    faultAt: FAULT_AT,
    async play({ servers }) {
      await servers.kill(1);
      await wait(STARTS_AGAIN_MS);
      await servers.start(1);
      return '';
    },
  },
  {
    name: 'overload',
    says: 'after a fifth of the time, three times as much is said: twice what the engines can do',
    demand: (share) => (share < 0.2 ? USUAL : DOUBLE),
    faultAt: 0.2,
    play: async () => '',
  },
  {
    name: 'store-killed',
    says: 'Valkey is killed, and started again 10 s later, empty',
    demand: usual,
    faultAt: FAULT_AT,
    async play({ store }) {
      await store.kill();
      await wait(STORE_AWAY_MS);
      await store.start();
      return '';
    },
  },
  {
    name: 'engine-slow',
    says: 'one engine of four works at a tenth of its speed for 20 s',
    demand: usual,
    faultAt: FAULT_AT,
    async play({ engines }) {
      engines.setSpeed(0, SLOW_SHARE);
      await wait(ENGINE_TROUBLE_MS);
      engines.setSpeed(0, 1);
      return '';
    },
  },
  {
    name: 'engine-dead',
    says: 'one engine of four dies with all it had, and is there again 20 s later',
    demand: usual,
    faultAt: FAULT_AT,
    async play({ engines }) {
      engines.die(0);
      await wait(ENGINE_TROUBLE_MS);
      engines.live(0);
      return '';
    },
  },
];
