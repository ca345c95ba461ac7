import { constants, setPriority } from 'node:os';
import {
  cpuBudgetMs,
  OVER_BUDGET_SIGNAL,
  OVER_MEMORY_SIGNAL,
  wallBudgetMs,
} from './decode-protocol.ts';

/** The memory that the decoding thread and its watcher share. */
export type WatchedState = {
  /** Odd while a file is decoded; goes up at its beginning and end. */
  readonly turn: Int32Array;
  /** File length in bytes, samples decoded so far, and 1 once the decoding thread was slowed. */
  readonly progress: Int32Array;
  /** The most memory the process may have resident, in bytes. */
  readonly memoryBytes: number;
};

/** Makes the shared memory for it. */
export function createWatchedState(memoryBytes: number): WatchedState {
  return {
    turn: new Int32Array(new SharedArrayBuffer(4)),
    progress: new Int32Array(new SharedArrayBuffer(12)),
    memoryBytes,
  };
}

/** Tells the watching thread that a file of `fileBytes` begins. */
export function beginWatch({ turn, progress }: WatchedState, fileBytes: number): void {
  Atomics.store(progress, 0, fileBytes);
  Atomics.store(progress, 1, 0);
  nextTurn(turn);
}

/** Tells it how many samples there are by now. */
export function noteSamples({ progress }: WatchedState, samples: number): void {
  Atomics.store(progress, 1, samples);
}

/** True if it took the decoding thread's priority away. */
export function isSlowed({ progress }: WatchedState): boolean {
  return Atomics.load(progress, 2) === 1;
}

/** Tells it that the file is done. */
export function endWatch({ turn }: WatchedState): void {
  nextTurn(turn);
}

function nextTurn(turn: Int32Array): void {
  Atomics.add(turn, 0, 1);
  Atomics.notify(turn, 0);
}

const LOOK_EVERY_MS = 20;

/** A file that has used this much of its budget is hopeless or huge: others go first. */
const SLOWED_AT = 1 / 4;

/**
 * Ends this process when a file takes more processor time, time or memory than it may. Runs in a
 * thread of its own and never returns: a decoder that goes in circles lets nothing else run in its
 * own.
 */
export function watchForEver({ turn, progress, memoryBytes }: WatchedState): never {
  for (;;) {
    const current = Atomics.load(turn, 0);
    if (current % 2 === 0) {
      Atomics.wait(turn, 0, current);
      continue;
    }
    const startedMs = performance.now();
    const cpuBefore = process.cpuUsage();
    while (Atomics.wait(turn, 0, current, LOOK_EVERY_MS) === 'timed-out') {
      const [fileBytes = 0, samples = 0] = [0, 1].map((at) => Atomics.load(progress, at));
      const { user, system } = process.cpuUsage(cpuBefore);
      const partUsed = (user + system) / 1_000 / cpuBudgetMs(fileBytes, samples);
      const isLate = performance.now() - startedMs > wallBudgetMs(fileBytes, samples);
      if (partUsed > SLOWED_AT && Atomics.exchange(progress, 2, 1) === 0) slowDown();
      if (partUsed > 1 || isLate) process.kill(process.pid, OVER_BUDGET_SIGNAL);
      if (process.memoryUsage.rss() > memoryBytes) process.kill(process.pid, OVER_MEMORY_SIGNAL);
    }
  }
}

/**
 * Lowers the decoding thread's priority: the system takes a process's number for its first thread.
 */
function slowDown(): void {
  try {
    setPriority(process.pid, constants.priority.PRIORITY_LOW);
  } catch {
    // Not everywhere allowed; the budget holds nevertheless.
  }
}
