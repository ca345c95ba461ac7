import type { Clock } from '../../src/core/clock.ts';
import { ApiError, clientClosed } from '../core/api-error.ts';

/**
 * The weight of a task. A `preview` shows words that are heard again later: it begins on a place
 * that no `final` waits for, and is dropped first.
 */
export type Rank = 'final' | 'preview';

/**
 * The way a task is sent: `short` is a final of little audio, which may begin where long ones of
 * others have taken all the room there is for begun work.
 */
type SentRank = Rank | 'short';

/** A task's place among those that run. */
export type Turn = {
  /** The one whose task it is. */
  readonly client: string;
  readonly rank: Rank;
  /** Adds work done for the client to its account, in ms of one core. */
  charge(costMs: number): void;
  /**
   * Between two steps of a task: lets a client that has had less go first, and is fulfilled when it
   * is this one's turn again. Rejects for a preview when a final waits (`queue_full`).
   */
  pause(): Promise<void>;
};

/** The load of the queue right now. */
export type QueueLoad = {
  readonly running: number;
  readonly waiting: number;
  readonly concurrency: number;
  readonly maxWaiting: number;
};

/** The size of a queue. */
type WorkQueueSize = {
  /** Tasks at once, at least 1. */
  readonly concurrency: number;
  /** Tasks that wait to begin. */
  readonly maxWaiting: number;
  /**
   * Leaves the last of several places to other clients: who comes then finds it free, and a core
   * with it. @default false
   */
  readonly keepsOneFree?: boolean;
  readonly clock: Clock;
};

/** A fixed number of tasks at a time, shared out between clients by what their tasks cost. */
export type WorkQueue = ReturnType<typeof createWorkQueue>;

/** A task that waits for a place; `begin` gives it one. */
type Waiter = {
  readonly isShort: boolean;
  readonly begin: (task: RunningTask) => void;
  readonly refuse: (error: ApiError) => void;
};

/** A task that runs, since it began or last went on. */
type RunningTask = { readonly sinceMs: number; chargedMs: number };

/** Everything the queue knows of one client. */
type Client = {
  readonly name: string;
  /** The work charged, in ms of one core; one that comes back begins where the others are by now. */
  chargedMs: number;
  readonly running: Set<RunningTask>;
  readonly waiting: Set<Waiter>;
  /** Tasks that have begun and let others go first; each call resumes one. */
  readonly paused: ((task: RunningTask) => void)[];
  /** Its newest preview, while it waits. */
  preview: Waiter | null;
};

/** Every task costs something: whoever sends only what is refused at once has turns, too. */
const LEAST_COST_MS = 5;

/** Words that come later than this have been overtaken by newer ones. */
const PREVIEW_WAIT_MS = 2_000;

/** Clients without tasks that are remembered; the one longest away is forgotten first. */
const MAX_REMEMBERED = 10_000;

/**
 * Makes a queue. Its rules, each held by `tests/unit/server/fair-queue.test.ts`:
 *
 * - A free place goes to the client that has had the least, and within a client to its first task.
 * - A long task gives way at its pauses. Begun tasks hold their audio, so only twice the places and
 *   one may have begun; above that as many as there are places, for short tasks of clients with
 *   nothing under way: else a few long ones would hold up all who come.
 * - When all places to wait are taken, a client with fewer waiting takes the last of the one with most.
 * - Previews begin while no final waits, on one place fewer than there are. A client has one
 *   waiting, the newest.
 */
export function createWorkQueue(size: WorkQueueSize) {
  const { clock, concurrency, maxWaiting, keepsOneFree = false } = size;
  const maxBegun = 2 * concurrency + 1;
  const maxPreviews = Math.max(1, concurrency - 1);
  /** Clients with tasks. */
  const active = new Set<Client>();
  /** All accounts, those longest away first. */
  const accounts = new Map<string, Client>();
  /** The account of the latest to begin: nobody saves up turns by staying away. */
  let levelMs = 0;
  let running = 0;
  let runningPreviews = 0;
  /** Finals that have begun and not ended. */
  let begun = 0;
  let isClosed = false;

  const sum = (count: (client: Client) => number) =>
    [...active].reduce((all, client) => all + count(client), 0);
  const waitingCount = () => sum(({ waiting }) => waiting.size);
  const isFinalWaiting = () => sum(({ waiting, paused }) => waiting.size + paused.length) > 0;

  function accountOf(name: string): Client {
    const known = accounts.get(name);
    if (known !== undefined) return known;
    return {
      name,
      chargedMs: levelMs,
      running: new Set(),
      waiting: new Set(),
      paused: [],
      preview: null,
    };
  }

  function enter(client: Client): void {
    if (active.has(client)) return;
    client.chargedMs = Math.max(client.chargedMs, levelMs);
    active.add(client);
    putLast(client);
  }

  function leave(client: Client): void {
    const { running: own, waiting, paused, preview } = client;
    if (own.size + waiting.size + paused.length > 0 || preview !== null) return;
    active.delete(client);
    putLast(client);
    const [longestAway] = accounts.values();
    if (accounts.size <= MAX_REMEMBERED || longestAway === undefined) return;
    if (!active.has(longestAway)) accounts.delete(longestAway.name);
  }

  function putLast(client: Client): void {
    accounts.delete(client.name);
    accounts.set(client.name, client);
  }

  /** The work a client has had: its charges, and the time of running tasks beyond theirs. */
  function spentMs({ chargedMs, running: own }: Client): number {
    const nowMs = clock.nowMs();
    let uncharged = 0;
    for (const task of own) uncharged += Math.max(0, nowMs - task.sinceMs - task.chargedMs);
    return chargedMs + uncharged;
  }

  /** The one that has had least, then the first, of those that could use a place. */
  function least(couldUse: (client: Client) => boolean): Client | null {
    let found: Client | null = null;
    for (const client of active) {
      if (!couldUse(client)) continue;
      if (found === null || spentMs(client) < spentMs(found)) found = client;
    }
    return found;
  }

  /** The task of a client that could begin, were there a place; null when none could. */
  function nextOf({ waiting, running: own, paused }: Client): Waiter | null {
    const [first = null] = waiting;
    if (begun < maxBegun || first === null) return first;
    if (begun >= maxBegun + concurrency || own.size + paused.length > 0) return null;
    return [...waiting].find(({ isShort }) => isShort) ?? null;
  }

  const couldGoOn = (client: Client) => client.paused.length > 0 || nextOf(client) !== null;

  const mayHaveMore = ({ running: own }: Client) =>
    !keepsOneFree || own.size === 0 || own.size < concurrency - 1;

  function giveOut(): void {
    while (running < concurrency) {
      const client = least((one) => couldGoOn(one) && mayHaveMore(one));
      if (client === null) break;
      const resume = client.paused.shift();
      if (resume !== undefined) {
        resume(take(client));
        continue;
      }
      const first = nextOf(client);
      if (first === null) break;
      client.waiting.delete(first);
      begun++;
      levelMs = Math.max(levelMs, client.chargedMs);
      first.begin(take(client));
    }
    while (running < concurrency && runningPreviews < maxPreviews) {
      const client = least(({ preview }) => preview !== null);
      if (client === null) return;
      runningPreviews++;
      levelMs = Math.max(levelMs, client.chargedMs);
      client.preview?.begin(take(client));
    }
  }

  function take(client: Client): RunningTask {
    const task: RunningTask = { sinceMs: clock.nowMs(), chargedMs: 0 };
    client.running.add(task);
    running++;
    return task;
  }

  function giveBack(client: Client, task: RunningTask): void {
    client.running.delete(task);
    running--;
  }

  /** The client with most waiting; null when nothing waits. */
  function greediest(): Client | null {
    const waiting = [...active].filter((client) => client.waiting.size > 0);
    return waiting.sort((a, b) => b.waiting.size - a.waiting.size)[0] ?? null;
  }

  /** Fulfilled with a place; what `start` gives is called when the wait is over, however it ends. */
  function placeFor(
    isShort: boolean,
    signal: AbortSignal,
    start: (waiter: Waiter) => () => void,
  ): Promise<RunningTask> {
    return new Promise((resolve, reject) => {
      const giveUp = () => waiter.refuse(clientClosed());
      const done = () => {
        signal.removeEventListener('abort', giveUp);
        stop();
      };
      const waiter: Waiter = {
        isShort,
        begin(task) {
          done();
          resolve(task);
        },
        refuse(error) {
          done();
          reject(error);
        },
      };
      signal.addEventListener('abort', giveUp, { once: true });
      const stop = start(waiter);
      giveOut();
    });
  }

  async function runFinal<T>(
    client: Client,
    work: (turn: Turn) => Promise<T>,
    signal: AbortSignal,
    isShort: boolean,
  ): Promise<T> {
    const begins = placeFor(isShort, signal, (waiter) => {
      client.waiting.add(waiter);
      return () => client.waiting.delete(waiter);
    });
    // A place that a preview has is as good as free: who waits for it is in nobody's way.
    if (waitingCount() > maxWaiting + runningPreviews) {
      const most = greediest();
      const outdone = most !== null && most.waiting.size > client.waiting.size ? most : client;
      [...outdone.waiting].at(-1)?.refuse(queueFull());
    }
    let task = await begins;
    const charge = (ms: number) => {
      task.chargedMs += ms;
      client.chargedMs += ms;
    };
    charge(LEAST_COST_MS);
    const hasHadLess = (other: Client) =>
      other !== client && couldGoOn(other) && spentMs(other) < spentMs(client);
    try {
      return await work({
        client: client.name,
        rank: 'final',
        charge,
        async pause() {
          if (least(hasHadLess) === null) return;
          task = await new Promise<RunningTask>((resume) => {
            client.paused.push(resume);
            giveBack(client, task);
            giveOut();
          });
        },
      });
    } finally {
      begun--;
      giveBack(client, task);
    }
  }

  async function runPreview<T>(
    client: Client,
    work: (turn: Turn) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const others = sum((one) => Number(one !== client && one.preview !== null));
    if (isFinalWaiting() || others >= maxPreviews) throw noTimeForPreviews();
    client.preview?.refuse(previewReplaced());
    const task = await placeFor(false, signal, (waiter) => {
      client.preview = waiter;
      const cancel = clock.after(PREVIEW_WAIT_MS, () => waiter.refuse(noTimeForPreviews()));
      return () => {
        cancel();
        if (client.preview === waiter) client.preview = null;
      };
    });
    const charge = (ms: number) => {
      task.chargedMs += ms;
      client.chargedMs += ms;
    };
    charge(LEAST_COST_MS);
    try {
      return await work({
        client: client.name,
        rank: 'preview',
        charge,
        async pause() {
          if (isFinalWaiting()) throw noTimeForPreviews();
        },
      });
    } finally {
      runningPreviews--;
      giveBack(client, task);
    }
  }

  return {
    /**
     * Runs `work` when its turn comes and gives its outcome. While it waits, `signal` takes it out
     * (`client_closed`); once it runs, stopping is its own affair. Rejects with `queue_full` when too
     * many wait and with `shutting_down` after `close`. A preview waits a moment only, and with
     * `preview_replaced` when its client's next one has come.
     */
    async run<T>(
      name: string,
      work: (turn: Turn) => Promise<T>,
      signal: AbortSignal,
      rank: SentRank = 'final',
    ): Promise<T> {
      if (signal.aborted) throw clientClosed();
      if (isClosed) throw shuttingDown();
      const client = accountOf(name);
      enter(client);
      try {
        if (rank === 'preview') return await runPreview(client, work, signal);
        return await runFinal(client, work, signal, rank === 'short');
      } finally {
        leave(client);
        giveOut();
      }
    },
    /** Throws what a final of `name` would be refused with now, so that its body need not be read. */
    requireRoom(name: string): void {
      if (isClosed) throw shuttingDown();
      const most = greediest()?.waiting.size ?? 0;
      const isFull = running >= concurrency && waitingCount() >= maxWaiting + runningPreviews;
      if (isFull && accountOf(name).waiting.size + 1 >= most) throw queueFull();
    },
    load: (): QueueLoad => ({
      running,
      waiting: sum(({ waiting, paused }) => waiting.size + paused.length),
      concurrency,
      maxWaiting,
    }),
    /** Refuses what waits and what comes; what runs may finish. */
    close(): void {
      isClosed = true;
      for (const { waiting, preview } of active) {
        for (const waiter of waiting) waiter.refuse(shuttingDown());
        preview?.refuse(shuttingDown());
      }
    },
  };
}

/** Says that nothing new is begun here; another server, or this one soon, will take it. */
export const shuttingDown = () =>
  new ApiError(503, 'shutting_down', 'The server is shutting down; try again shortly.', {
    retryAfterS: 5,
  });

/** Says that there is no room; the client keeps its audio and tries again. */
export const queueFull = () =>
  new ApiError(503, 'queue_full', 'Too many transcriptions are waiting; try again shortly.', {
    retryAfterS: 5,
  });

const noTimeForPreviews = () =>
  new ApiError(503, 'queue_full', 'There is no time for previews now; try again shortly.', {
    retryAfterS: 2,
  });

const previewReplaced = () =>
  new ApiError(503, 'preview_replaced', 'A newer preview of this client has come.', {
    retryAfterS: 1,
  });
