import type { Clock } from '../../src/core/clock.ts';
import { clientClosed } from '../core/api-error.ts';
import { createBegunRoom } from './begun-room.ts';
import {
  type Client,
  createClientAccounts,
  type FinalWaiter,
  type RunningTask,
} from './client-accounts.ts';
import { createPreviewLine } from './preview-line.ts';
import { queueFull, shuttingDown } from './refusals.ts';
import type { Rank, SentRank, Turn } from './turn.ts';

/** How busy the queue is right now. */
export type QueueLoad = {
  /** May be one more than `concurrency`: see `createWorkQueue`. */
  readonly running: number;
  readonly waiting: number;
  readonly concurrency: number;
  readonly maxWaiting: number;
};

/** A fixed number of tasks at a time, shared out between clients by what their tasks cost. */
export type WorkQueue = {
  /**
   * Runs `task` when its turn comes and gives its outcome. While it waits, `signal` takes it out
   * (`client_closed`); once it runs, stopping is the task's own affair. Rejects with `queue_full`
   * when too many wait and with `shutting_down` after `close`. A preview waits a moment only, and
   * with `preview_replaced` when its client's next one has come.
   */
  run<T>(
    client: string,
    task: (turn: Turn) => Promise<T>,
    signal: AbortSignal,
    rank?: SentRank,
  ): Promise<T>;
  /** Throws what `run` would now reject with, for a caller that has not read its work yet. */
  requireRoom(client: string, rank?: Rank): void;
  load(): QueueLoad;
  /** Refuses what waits and what comes; what runs may finish. */
  close(): void;
};

/** How much a queue holds. */
export type WorkQueueSize = {
  /** Tasks at once, at least 1. */
  readonly concurrency: number;
  /** Tasks that wait to begin. */
  readonly maxWaiting: number;
  /** Waiting work of one client, in ms of one core by its last tasks' cost. @default no limit */
  readonly maxWaitingWorkMs?: number;
  /**
   * Whether a client that has all other places does not get the last while somebody else has come
   * lately: who comes then finds it free, and a core with it. @default false
   */
  readonly keepsOneFree?: boolean;
  readonly clock: Clock;
};

/** Every task costs something: whoever sends only what is refused at once has turns, too. */
const LEAST_COST_MS = 5;

/**
 * While nothing begins or ends nobody looks again: a task or two lately do not count against one.
 */
const GUEST_SLACK_MS = 2_000;

/**
 * Who came this long ago may well come again: a speaker's chunks are up to 90 s apart, most less.
 */
const LATELY_MS = 30_000;

/**
 * Makes a queue. A free place goes to the client that has had the least, and within a client to its
 * first. A client with nothing under way need not wait for one with several tasks: it gets a place
 * of its own, one more than `concurrency`. When all places to wait are taken, one with less work
 * waiting takes the last place of the one with most. Previews get what is left (`preview-line.ts`).
 */
export function createWorkQueue(size: WorkQueueSize): WorkQueue {
  const { clock, concurrency, maxWaiting, maxWaitingWorkMs = Number.POSITIVE_INFINITY } = size;
  const { keepsOneFree = false } = size;
  const begunRoom = createBegunRoom(concurrency);
  const accounts = createClientAccounts(clock);
  let running = 0;
  let isClosed = false;

  const waitingCount = () => accounts.sum((client) => client.waiting.size);
  const pausedCount = () => accounts.sum((client) => client.paused.length);

  const previews = createPreviewLine({
    accounts,
    clock,
    maxBegun: Math.max(1, concurrency - 1),
    isFinalWaiting: () => waitingCount() + pausedCount() > 0,
    takePlace(client) {
      if (running >= concurrency) return null;
      running++;
      accounts.begin(client);
      return take(client);
    },
    giveBack,
    giveOut: () => giveOut(),
  });

  /** The one whose turn it is among those who wait or pause, if there were a place. */
  function nextInTurn(isCandidate: (client: Client) => boolean = () => true): Client | null {
    return accounts.least(
      (client) =>
        (client.paused.length > 0 || begunRoom.next(client) !== null) && isCandidate(client),
    );
  }

  /**
   * Whether it gets the place that is one too many: it has nothing under way, and one that runs has
   * several tasks and has had about as much or more.
   */
  const isGuest = (client: Client) =>
    running === concurrency &&
    client.running.size + client.paused.length === 0 &&
    accounts.some(
      (other) =>
        other.running.size > 0 &&
        jobsOf(other) > 1 &&
        accounts.spentMs(other) + GUEST_SLACK_MS >= accounts.spentMs(client),
    );

  /** Whether a client may have one of the places that are free. */
  const mayBegin = (client: Client) =>
    !keepsOneFree ||
    client.running.size === 0 ||
    client.running.size < concurrency - 1 ||
    !accounts.hasSeenOther(client, LATELY_MS);

  /** A place that a preview has is as good as free: who waits for it is in nobody's way. */
  const mostWaiting = () => maxWaiting + previews.running();

  function giveOut(): void {
    giveOutToFinals();
    previews.giveOut();
  }

  function giveOutToFinals(): void {
    for (;;) {
      const next = nextInTurn(running < concurrency ? mayBegin : isGuest);
      if (next === null) return;
      const resume = next.paused.shift();
      if (resume !== undefined) {
        running++;
        resume(take(next));
        continue;
      }
      const first = begunRoom.next(next);
      if (first === null) return;
      next.waiting.delete(first);
      running++;
      begunRoom.enter();
      accounts.begin(next);
      first.begin(take(next));
    }
  }

  function take(client: Client): RunningTask {
    const task: RunningTask = { sinceMs: clock.nowMs(), chargedMs: 0 };
    client.running.add(task);
    return task;
  }

  function giveBack(client: Client, task: RunningTask): void {
    running--;
    client.running.delete(task);
  }

  function requireRoom(name: string): Client {
    if (isClosed) throw shuttingDown();
    const client = accounts.of(name);
    if (running < concurrency || isGuest(client)) return client;
    if (accounts.workWith(client, 1) > maxWaitingWorkMs) throw queueFull();
    if (waitingCount() >= mostWaiting() && !isOutdone(client)) throw queueFull();
    return client;
  }

  function requirePreviewRoom(name: string): Client {
    if (isClosed) throw shuttingDown();
    const client = accounts.of(name);
    previews.requireRoom(client);
    return client;
  }

  /** Whether somebody has more waiting than `client` would have with one more. */
  function isOutdone(client: Client): boolean {
    const greediest = accounts.greediest();
    return greediest !== null && accounts.workWith(greediest, 0) > accounts.workWith(client, 1);
  }

  function waitForTurn(
    client: Client,
    isShort: boolean,
    signal: AbortSignal,
  ): Promise<RunningTask> {
    return new Promise((resolve, reject) => {
      const leave = () => waiter.refuse(clientClosed());
      const waiter: FinalWaiter = {
        isShort,
        begin: (task) => {
          signal.removeEventListener('abort', leave);
          resolve(task);
        },
        refuse: (error) => {
          signal.removeEventListener('abort', leave);
          client.waiting.delete(waiter);
          reject(error);
        },
      };
      accounts.enter(client);
      client.waiting.add(waiter);
      signal.addEventListener('abort', leave, { once: true });
      giveOut();
      if (client.waiting.has(waiter) && waitingCount() > mostWaiting()) {
        [...(accounts.greediest()?.waiting ?? [])].at(-1)?.refuse(queueFull());
      }
    });
  }

  /** The turn of a task that begins with `first`. `end` gives its place back and says its cost. */
  function turnOf(client: Client, first: RunningTask): Turn & { readonly end: () => number } {
    let task = first;
    let costMs = 0;
    const charge = (ms: number) => {
      costMs += ms;
      task.chargedMs += ms;
      client.chargedMs += ms;
    };
    const hasHadLess = (other: Client) =>
      other !== client && accounts.spentMs(other) < accounts.spentMs(client);
    charge(LEAST_COST_MS);
    return {
      client: client.name,
      rank: 'final',
      charge,
      async pause() {
        const isOneTooMany =
          running > concurrency &&
          accounts.some((other) => other.running.size > 0 && hasHadLess(other));
        if (!isOneTooMany && nextInTurn(hasHadLess) === null) return;
        task = await new Promise<RunningTask>((resume) => {
          client.paused.push(resume);
          giveBack(client, task);
          giveOut();
        });
      },
      end() {
        giveBack(client, task);
        return costMs;
      },
    };
  }

  async function runPreview<T>(
    name: string,
    task: (turn: Turn) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const client = requirePreviewRoom(name);
    const turn = await previews.begin(client, signal).finally(() => accounts.leave(client));
    turn.charge(LEAST_COST_MS);
    try {
      return await task(turn);
    } finally {
      turn.end();
      accounts.leave(client);
      giveOut();
    }
  }

  return {
    async run(name, task, signal, rank = 'final') {
      if (signal.aborted) throw clientClosed();
      if (rank === 'preview') return runPreview(name, task, signal);
      const client = requireRoom(name);
      const first = await waitForTurn(client, rank === 'short', signal).catch((error: unknown) => {
        accounts.leave(client);
        throw error;
      });
      const turn = turnOf(client, first);
      try {
        return await task(turn);
      } finally {
        begunRoom.leave();
        accounts.noteCost(client, turn.end());
        accounts.leave(client);
        giveOut();
      }
    },
    requireRoom(name, rank = 'final') {
      if (rank === 'preview') requirePreviewRoom(name);
      else requireRoom(name);
    },
    load: () => ({
      running,
      waiting: waitingCount() + pausedCount(),
      concurrency,
      maxWaiting,
    }),
    close() {
      isClosed = true;
      accounts.each((client) => {
        for (const waiter of client.waiting) waiter.refuse(shuttingDown());
        client.previews.waiting?.refuse(shuttingDown());
      });
    },
  };
}

const jobsOf = (client: Client) => client.running.size + client.paused.length + client.waiting.size;
