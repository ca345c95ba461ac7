import { assertNever } from '../core/assert-never.ts';
import { type BenchmarkProgress, FULL_PLAN } from './run-benchmark.ts';
import { failureWords, WORDS } from './strings.ts';
import type { BenchmarkState } from './use-benchmark.ts';

/** What is going on, in words and as a bar. Only beginnings and ends are announced. */
export function ProgressSection({ state }: { readonly state: BenchmarkState }) {
  const isRunning = state.kind === 'preparing' || state.kind === 'running';
  const progress = state.kind === 'running' ? state.progress : null;
  return (
    <div className="benchmark-progress">
      {isRunning && (
        <>
          <progress
            aria-label={WORDS.progressLabel}
            {...(progress && { value: progress.done, max: progress.total })}
          />
          <p>{progress ? progressWords(progress) : WORDS.preparing}</p>
        </>
      )}
      <p role="status" className={isRunning ? 'visually-hidden' : 'benchmark-end'}>
        {statusWords(state)}
      </p>
    </div>
  );
}

function progressWords({ phase, key, round }: BenchmarkProgress): string {
  if (phase === 'live' || !key) return WORDS.live;
  if (phase === 'starting') return WORDS.starting(key);
  return WORDS.measuring(key, round, FULL_PLAN.rounds);
}

function statusWords(state: BenchmarkState): string {
  switch (state.kind) {
    case 'idle':
      return '';
    case 'preparing':
      return WORDS.preparing;
    case 'running':
      return state.progress.phase === 'live' ? WORDS.live : '';
    case 'stopped':
      return WORDS.stopped;
    case 'failed':
      return `${WORDS.failed} ${failureWords(state.error)}`;
    case 'done':
      return WORDS.finished;
    default:
      return assertNever(state);
  }
}
