import type { Clock } from '../src/core/clock.ts';
import { ApiError, clientClosed } from './api-error.ts';

/** Makes sure that a request sent twice is worked on once. */
export type AnswerMemory<T> = {
  /**
   * The answer for `key`: begins the work when it is new, joins it while it runs, and repeats the
   * answer for some minutes after. Only successes are kept, so a retry after an error tries again.
   * `fingerprint` stands for the content: the same key with another one rejects with
   * `idempotency_key_reused`. When `signal` aborts this caller leaves (`client_closed`), and when all
   * have left the work's own signal aborts.
   */
  answer(
    key: string,
    fingerprint: string,
    signal: AbortSignal,
    begin: (workSignal: AbortSignal) => Promise<T>,
  ): Promise<T>;
};

/** How much is remembered. */
export type AnswerMemoryOptions = {
  readonly clock: Clock;
  /** For how long, from the answer on, in ms. */
  readonly keptMs: number;
  /** Answers kept at most; the oldest goes first. */
  readonly maxKept: number;
};

type Entry<T> = {
  readonly fingerprint: string;
  readonly result: Promise<T>;
  readonly abandon: AbortController;
  callers: number;
  isDone: boolean;
};

/** Keeps answers in this process's memory only: a restart forgets them. */
export function createAnswerMemory<T>(options: AnswerMemoryOptions): AnswerMemory<T> {
  const { clock, keptMs, maxKept } = options;
  const entries = new Map<string, Entry<T>>();

  /** Takes an entry out, unless its key belongs to a newer one by now. */
  function forget(key: string, entry: Entry<T>): void {
    if (entries.get(key) === entry) entries.delete(key);
  }

  function keep(key: string, entry: Entry<T>): void {
    entry.isDone = true;
    clock.after(keptMs, () => forget(key, entry));
    const done = [...entries].filter(([, other]) => other.isDone);
    for (const [oldKey] of done.slice(0, Math.max(0, done.length - maxKept))) {
      entries.delete(oldKey);
    }
  }

  function open(
    key: string,
    fingerprint: string,
    begin: (workSignal: AbortSignal) => Promise<T>,
  ): Entry<T> {
    const abandon = new AbortController();
    const result = begin(abandon.signal);
    const entry: Entry<T> = { fingerprint, result, abandon, callers: 0, isDone: false };
    entries.set(key, entry);
    result.then(
      () => keep(key, entry),
      () => forget(key, entry),
    );
    return entry;
  }

  return {
    async answer(key, fingerprint, signal, begin) {
      for (;;) {
        if (signal.aborted) throw clientClosed();
        const known = entries.get(key);
        if (known !== undefined && known.fingerprint !== fingerprint) {
          throw idempotencyKeyReused();
        }
        const entry = known ?? open(key, fingerprint, begin);
        try {
          return await joined(entry, signal);
        } catch (error) {
          // Joined a job that the callers before had just given up: begin anew.
          if (known === undefined || signal.aborted || !entry.abandon.signal.aborted) throw error;
          forget(key, entry);
        }
      }
    },
  };
}

/** Says that a key stands for something else already. */
export function idempotencyKeyReused(): ApiError {
  const message = 'This Idempotency-Key was used for another request.';
  return new ApiError(409, 'idempotency_key_reused', message);
}

/** Waits with the others for the entry's result; the last one to leave turns off the light. */
function joined<T>(entry: Entry<T>, signal: AbortSignal): Promise<T> {
  entry.callers++;
  return new Promise((resolve, reject) => {
    const leave = () => {
      entry.callers--;
      if (entry.callers === 0 && !entry.isDone) entry.abandon.abort();
      reject(clientClosed());
    };
    signal.addEventListener('abort', leave, { once: true });
    const settle = () => signal.removeEventListener('abort', leave);
    entry.result.then(resolve, reject).finally(settle);
  });
}
