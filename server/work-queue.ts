import { ApiError, clientClosed } from './api-error.ts';

/** How busy the queue is right now. */
export type QueueLoad = {
  readonly running: number;
  readonly waiting: number;
  readonly concurrency: number;
  readonly maxWaiting: number;
};

/** First come, first served, a fixed number at a time. */
export type WorkQueue = {
  /**
   * Runs `task` when its turn comes and gives its outcome. While it waits, `signal` takes it out
   * (`client_closed`); once it runs, stopping is the task's own affair. Rejects with `queue_full` when
   * too many wait and with `shutting_down` after `close`.
   */
  run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Throws what `run` would now reject with, for a caller that has not read its work yet. */
  requireRoom(): void;
  load(): QueueLoad;
  /** Refuses what waits and what comes; what runs may finish. */
  close(): void;
};

type Waiter = { readonly begin: () => void; readonly refuse: (error: ApiError) => void };

const shuttingDown = () =>
  new ApiError(503, 'shutting_down', 'The server is shutting down; try again shortly.', {
    retryAfterS: 5,
  });

/** Says that there is no room; the client keeps its audio and tries again. */
export const queueFull = () =>
  new ApiError(503, 'queue_full', 'Too many transcriptions are waiting; try again shortly.', {
    retryAfterS: 5,
  });

/** Makes a queue of `concurrency` slots (at least 1) and `maxWaiting` places in front of them. */
export function createWorkQueue(concurrency: number, maxWaiting: number): WorkQueue {
  const waiters = new Set<Waiter>();
  let running = 0;
  let isClosed = false;

  function requireRoom(): void {
    if (isClosed) throw shuttingDown();
    if (running >= concurrency && waiters.size >= maxWaiting) throw queueFull();
  }

  function waitForTurn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => waiter.refuse(clientClosed());
      const waiter: Waiter = {
        begin: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
        refuse: (error) => {
          signal.removeEventListener('abort', leave);
          waiters.delete(waiter);
          reject(error);
        },
      };
      waiters.add(waiter);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** Hands the freed slot to whoever came first, so that nobody new can slip in between. */
  function passOn(): void {
    const [next] = waiters;
    if (next === undefined) {
      running--;
      return;
    }
    waiters.delete(next);
    next.begin();
  }

  return {
    async run(task, signal) {
      if (signal.aborted) throw clientClosed();
      requireRoom();
      if (running < concurrency) running++;
      else await waitForTurn(signal);
      try {
        return await task();
      } finally {
        passOn();
      }
    },
    requireRoom,
    load: () => ({ running, waiting: waiters.size, concurrency, maxWaiting }),
    close() {
      isClosed = true;
      for (const waiter of waiters) waiter.refuse(shuttingDown());
    },
  };
}
