import type { Clock } from '../../src/core/clock.ts';
import { ApiError, clientClosed } from '../core/api-error.ts';

/** Makes sure that a request sent twice is worked on once. */
export type AnswerMemory<T> = {
  /**
   * The answer for `key`: begins the work when it is new, joins it while it runs, and repeats the
   * answer for some minutes after. Only successes are kept, so a retry after an error tries again.
   * `fingerprint` stands for the content: the same key with another one rejects with
   * `idempotency_key_reused`. When `signal` aborts, this caller leaves (`client_closed`); when all
   * have left, the work's own signal aborts.
   */
  answer(
    key: string,
    fingerprint: string,
    signal: AbortSignal,
    begin: (workSignal: AbortSignal) => Promise<T>,
  ): Promise<T>;
  /** Fulfilled when what runs now has ended, whoever still waits for it. Never rejects. */
  settled(): Promise<void>;
};

/** The bounds of what is remembered. */
type AnswerMemoryOptions<T> = {
  readonly clock: Clock;
  /** For how long, from the answer on, in ms. */
  readonly keptMs: number;
  /** Answers kept at most; the oldest goes first. */
  readonly maxKept: number;
  /** Bytes kept at most; the oldest goes first, and one that is larger by itself is not kept. */
  readonly maxBytes: number;
  /** About how much memory an answer takes. */
  readonly bytesOf: (answer: T) => number;
};

/** The pause between two looks for answers that are too old, while nobody asks. */
const SWEEP_EVERY_MS = 60_000;

type Entry<T> = {
  readonly fingerprint: string;
  readonly result: Promise<T>;
  readonly abandon: AbortController;
  callers: number;
  /** Null while the work runs. */
  kept: { readonly bytes: number; readonly untilMs: number } | null;
};

/** Keeps answers in this process's memory only: a restart forgets them. */
export function createAnswerMemory<T>(options: AnswerMemoryOptions<T>): AnswerMemory<T> {
  const { clock, keptMs, maxKept, maxBytes, bytesOf } = options;
  /** Work under way, and answers in the order in which they were given. */
  const entries = new Map<string, Entry<T>>();
  const doneKeys = new Set<string>();
  let heldBytes = 0;
  let isSweepPlanned = false;

  /** Takes an entry out, unless its key belongs to a newer one by now. */
  function forget(key: string, entry: Entry<T>): void {
    if (entries.get(key) !== entry) return;
    entries.delete(key);
    if (entry.kept === null) return;
    doneKeys.delete(key);
    heldBytes -= entry.kept.bytes;
  }

  function keep(key: string, entry: Entry<T>, answer: T): void {
    if (entries.get(key) !== entry) return;
    const bytes = bytesOf(answer);
    if (bytes > maxBytes) {
      forget(key, entry);
      return;
    }
    entry.kept = { bytes, untilMs: clock.nowMs() + keptMs };
    doneKeys.add(key);
    heldBytes += bytes;
    for (const [oldest, old] of done()) {
      if (doneKeys.size <= maxKept && heldBytes <= maxBytes) break;
      forget(oldest, old);
    }
    planSweep();
  }

  function* done(): Generator<readonly [string, Entry<T>]> {
    for (const key of doneKeys) {
      const entry = entries.get(key);
      if (entry !== undefined) yield [key, entry];
    }
  }

  /** One timer for all, which holds no answer: what was thrown out is gone at once. */
  function planSweep(): void {
    if (isSweepPlanned || doneKeys.size === 0) return;
    isSweepPlanned = true;
    clock.after(Math.min(keptMs, SWEEP_EVERY_MS), () => {
      isSweepPlanned = false;
      forgetOld();
      planSweep();
    });
  }

  function forgetOld(): void {
    const nowMs = clock.nowMs();
    for (const [key, entry] of done()) {
      const leftMs = (entry.kept?.untilMs ?? 0) - nowMs;
      // More than it began with: the clock was set back.
      if (leftMs <= 0 || leftMs > keptMs) forget(key, entry);
    }
  }

  function open(
    key: string,
    fingerprint: string,
    begin: (workSignal: AbortSignal) => Promise<T>,
  ): Entry<T> {
    const abandon = new AbortController();
    const result = begin(abandon.signal);
    const entry: Entry<T> = { fingerprint, result, abandon, callers: 0, kept: null };
    entries.set(key, entry);
    result.then(
      (answer) => keep(key, entry, answer),
      () => forget(key, entry),
    );
    return entry;
  }

  return {
    async answer(key, fingerprint, signal, begin) {
      forgetOld();
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
    async settled() {
      const running = [...entries.values()].filter(({ kept }) => kept === null);
      await Promise.allSettled(running.map(({ result }) => result));
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
      if (entry.callers === 0 && entry.kept === null) entry.abandon.abort();
      reject(clientClosed());
    };
    signal.addEventListener('abort', leave, { once: true });
    const settle = () => signal.removeEventListener('abort', leave);
    entry.result.then(resolve, reject).finally(settle);
  });
}
