import type { Clock } from '../../src/core/clock.ts';
import type { ApiError } from '../core/api-error.ts';

/** One that waits to begin. */
export type Waiter = {
  readonly begin: (task: RunningTask) => void;
  readonly refuse: (error: ApiError) => void;
};

/** A final that waits. */
export type FinalWaiter = Waiter & { readonly isShort: boolean };

/** A task that runs, since it began or last went on. */
export type RunningTask = { readonly sinceMs: number; chargedMs: number };

/** What the queue knows of one client. */
export type Client = {
  readonly name: string;
  /**
   * What was charged, in ms of one core; one that comes back begins where the others are by now.
   */
  chargedMs: number;
  readonly running: Set<RunningTask>;
  readonly waiting: Set<FinalWaiter>;
  /** Those that have begun and let others go first; each call resumes one. */
  readonly paused: ((task: RunningTask) => void)[];
  /** Its previews, which come after the work of everybody. */
  readonly previews: {
    waiting: Waiter | null;
    /** Those under way, paused or not. */
    begun: number;
  };
  /** What its last tasks cost, the latest weighing most; null before the first. */
  meanCostMs: number | null;
};

/** Keeps the accounts of all clients with tasks, and for a while of those without. */
export type ClientAccounts = ReturnType<typeof createClientAccounts>;

/** Clients without tasks that are remembered; the one longest away is forgotten first. */
const MAX_REMEMBERED = 10_000;

/** The latest task's weight in the mean. */
const LATEST = 0.3;

/** Makes accounts of nobody yet. */
export function createClientAccounts(clock: Clock) {
  const active = new Set<Client>();
  const remembered = new Map<string, Client>();
  /** Where the account of the latest to begin was: nobody saves up turns by staying away. */
  let levelMs = 0;
  /** For clients of which nothing is known yet. */
  let overallCostMs: number | null = null;

  const workWith = (client: Client, more: number) =>
    (client.waiting.size + more) * (client.meanCostMs ?? overallCostMs ?? 1);

  /** The two clients that came last, the latest first: one of them is not the given one. */
  let lastComers: readonly { readonly name: string; readonly atMs: number }[] = [];

  function spentMs(client: Client): number {
    const nowMs = clock.nowMs();
    let uncharged = 0;
    for (const { sinceMs, chargedMs } of client.running) {
      uncharged += Math.max(0, nowMs - sinceMs - chargedMs);
    }
    return client.chargedMs + uncharged;
  }

  function putLast(client: Client): void {
    remembered.delete(client.name);
    remembered.set(client.name, client);
  }

  return {
    /** Its account; made when there is none. */
    of: (name: string): Client =>
      remembered.get(name) ?? {
        name,
        chargedMs: levelMs,
        running: new Set(),
        waiting: new Set(),
        paused: [],
        previews: { waiting: null, begun: 0 },
        meanCostMs: null,
      },
    /** Whether any other client has come within the last `ms`. */
    hasSeenOther(client: Client, ms: number): boolean {
      const nowMs = clock.nowMs();
      return lastComers.some(
        ({ name, atMs }) => name !== client.name && Math.abs(nowMs - atMs) < ms,
      );
    },
    /** It has a task, from now on until it has none. */
    enter(client: Client) {
      const [latest] = lastComers.filter(({ name }) => name !== client.name);
      const comer = { name: client.name, atMs: clock.nowMs() };
      lastComers = latest === undefined ? [comer] : [comer, latest];
      if (active.has(client)) return;
      client.chargedMs = Math.max(client.chargedMs, levelMs);
      active.add(client);
      putLast(client);
    },
    /** One of its tasks begins. */
    begin(client: Client) {
      levelMs = Math.max(levelMs, client.chargedMs);
    },
    /** What it has had: what was charged, and the time of running tasks beyond their charges. */
    spentMs,
    /** One of its tasks has ended. */
    leave(client: Client) {
      if (client.running.size + client.paused.length + client.waiting.size > 0) return;
      if (client.previews.waiting !== null || client.previews.begun > 0) return;
      active.delete(client);
      putLast(client);
      const [longestAway] = remembered.values();
      if (remembered.size <= MAX_REMEMBERED || longestAway === undefined) return;
      if (!active.has(longestAway)) remembered.delete(longestAway.name);
    },
    noteCost(client: Client, costMs: number) {
      client.meanCostMs = mix(client.meanCostMs, costMs);
      overallCostMs = mix(overallCostMs, costMs);
    },
    /**
     * The one that has had least, then the first, of those with tasks for which `isCandidate` is
     * true.
     */
    least(isCandidate: (client: Client) => boolean): Client | null {
      let least: Client | null = null;
      let leastMs = Number.POSITIVE_INFINITY;
      for (const client of active) {
        const ms = spentMs(client);
        if (ms >= leastMs || !isCandidate(client)) continue;
        least = client;
        leastMs = ms;
      }
      return least;
    },
    some: (isSo: (client: Client) => boolean): boolean => [...active].some(isSo),
    sum: (count: (client: Client) => number): number =>
      [...active].reduce((sum, client) => sum + count(client), 0),
    each: (act: (client: Client) => void) => [...active].forEach(act),
    /** The work it would have waiting with `more` tasks, in ms by what its last ones cost. */
    workWith,
    /** The one with most work waiting; null when nothing waits. */
    greediest(): Client | null {
      let greediest: Client | null = null;
      for (const client of active) {
        if (client.waiting.size === 0) continue;
        if (greediest === null || workWith(client, 0) > workWith(greediest, 0)) greediest = client;
      }
      return greediest;
    },
  };
}

const mix = (mean: number | null, latest: number) =>
  mean === null ? latest : mean + LATEST * (latest - mean);
