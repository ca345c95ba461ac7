import { readdirSync, readFileSync } from 'node:fs';
import type { Clock } from '../../src/core/clock.ts';
import { ApiError, type ApiErrorCode } from '../core/api-error.ts';
import type { EngineSet } from '../engine/engine-set.ts';

/**
 * The memory of this process and of all it has started, in bytes: of this one all that is resident,
 * of the others what they alone have written, since the 50 MB of the program's files are there
 * once. Where there is no `/proc`, this process alone.
 */
export function treeMemoryBytes(): number {
  const children = childrenOf('self').reduce((sum, id) => sum + ownBytesOf(id), 0);
  return process.memoryUsage.rss() + children;
}

/** The whole tree below `id`, as Linux knows it: a child belongs to the thread that started it. */
function childrenOf(id: number | 'self'): readonly number[] {
  const ids = threadsOf(id).flatMap((thread) =>
    read(`/proc/${id}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );
  return [...ids, ...ids.flatMap(childrenOf)];
}

function threadsOf(id: number | 'self'): readonly string[] {
  try {
    return readdirSync(`/proc/${id}/task`);
  } catch {
    return [];
  }
}

function ownBytesOf(id: number): number {
  const found = read(`/proc/${id}/status`).matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB/gm);
  return [...found].reduce((sum, [, kib]) => sum + 1_024 * Number(kib), 0);
}

/** Empty when the process has ended meanwhile. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Counting takes a fraction of a millisecond, and memory does not fill up faster than this. */
const LOOK_EVERY_MS = 250;

/** Guards `maxBytes` of the memory of all processes together; `count` is how much they have now. */
export function createMemoryGuard(
  maxBytes: number,
  clock: Clock,
  count: () => number = treeMemoryBytes,
) {
  let seen = { bytes: 0, atMs: Number.NEGATIVE_INFINITY };

  function usedBytes(): number {
    const nowMs = clock.nowMs();
    if (Math.abs(nowMs - seen.atMs) >= LOOK_EVERY_MS) seen = { bytes: count(), atMs: nowMs };
    return seen.bytes;
  }

  const isFull = () => usedBytes() > maxBytes;
  return {
    /** The memory of this process and those it has started, at most a moment ago. */
    usedBytes,
    isFull,
    /** Throws `queue_full` (503) when it is. */
    requireRoom() {
      if (!isFull()) return;
      const message = 'The server has no memory left for more; try again shortly.';
      throw new ApiError(503, 'queue_full', message, { retryAfterS: 10 });
    },
  };
}

/** True if a balancer should send requests here. */
type ReadyState =
  | { readonly kind: 'ready' }
  | { readonly kind: 'loading'; readonly reason: string }
  | { readonly kind: 'failing'; readonly reason: string }
  | { readonly kind: 'stopping'; readonly reason: string };

/** Knows whether the server does what it is there for. */
export type Readiness = ReturnType<typeof createReadiness>;

/** The parts that the judgement goes by. */
type ReadinessPorts = {
  readonly engines: Pick<EngineSet, 'state'>;
  readonly clock: Clock;
  /** True if the server has no memory left for new work. */
  readonly isFull: () => boolean;
};

/** The server's own failures; what a client did wrong says nothing of the server. */
const FAILURES: ReadonlySet<ApiErrorCode> = new Set([
  'engine_answer_wrong',
  'engine_failed',
  'engine_refused',
  'engine_timeout',
  'engine_unreachable',
  'internal_error',
]);

/** Outcomes count for so long; a server nobody is sent to is tried again after it. */
const WINDOW_MS = 60_000;
const MIN_OUTCOMES = 10;
/** One client alone cannot outvote the others. */
const MAX_OUTCOMES_PER_CLIENT = 10;
const MAX_FAILED_SHARE = 0.5;
const MAX_OUTCOMES = 1_000;

type Outcome = { readonly atMs: number; readonly client: string; readonly isFailed: boolean };

/** Judges by the engine's state, by what became of the last minute's requests, and by memory. */
export function createReadiness({ engines, clock, isFull }: ReadinessPorts) {
  let outcomes: readonly Outcome[] = [];
  let isStopping = false;

  function isFailing(): boolean {
    const nowMs = clock.nowMs();
    outcomes = outcomes.filter(({ atMs }) => Math.abs(nowMs - atMs) < WINDOW_MS);
    const failed = outcomes.filter((outcome) => outcome.isFailed).length;
    return outcomes.length >= MIN_OUTCOMES && failed / outcomes.length > MAX_FAILED_SHARE;
  }

  return {
    state(): ReadyState {
      if (isStopping) return { kind: 'stopping', reason: 'the server is stopping' };
      const engineState = engines.state();
      switch (engineState.kind) {
        case 'loading':
          return { kind: 'loading', reason: 'the speech engine is loading' };
        case 'failed':
          return { kind: 'failing', reason: engineState.reason };
        case 'ready':
          if (isFull()) return { kind: 'failing', reason: 'the server has no memory left' };
          return isFailing()
            ? { kind: 'failing', reason: 'most transcriptions of the last minute failed' }
            : { kind: 'ready' };
      }
    },
    /** Takes in how one transcription of `client` ended; `code` is null for a success. */
    note(client: string, code: ApiErrorCode | null) {
      if (code !== null && !FAILURES.has(code)) return;
      const own = outcomes.filter((outcome) => outcome.client === client);
      const dropped = own.length >= MAX_OUTCOMES_PER_CLIENT ? own[0] : undefined;
      const kept = outcomes.filter((outcome) => outcome !== dropped).slice(-MAX_OUTCOMES);
      outcomes = [...kept, { atMs: clock.nowMs(), client, isFailed: code !== null }];
    },
    /** From now on it is stopping. */
    stop() {
      isStopping = true;
    },
  };
}
