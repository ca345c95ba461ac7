import type { Clock } from '../../src/core/clock.ts';
import type { ApiErrorCode } from '../core/api-error.ts';
import type { EngineSet } from '../engine/engine-set.ts';

/** Whether a balancer should send requests here. */
export type ReadyState =
  | { readonly kind: 'ready' }
  | { readonly kind: 'loading'; readonly reason: string }
  | { readonly kind: 'failing'; readonly reason: string }
  | { readonly kind: 'stopping'; readonly reason: string };

/** Knows whether the server does what it is there for. */
export type Readiness = ReturnType<typeof createReadiness>;

/** What the judgement goes by. */
export type ReadinessPorts = {
  readonly engines: Pick<EngineSet, 'state'>;
  readonly clock: Clock;
  /** Whether the server has no memory left for new work. */
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
