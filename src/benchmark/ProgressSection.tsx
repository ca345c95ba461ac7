import { assertNever } from '../core/assert-never.ts';
import type { ErrorInfo } from '../core/errors.ts';
import { STRINGS } from './benchmark-strings.ts';
import { rowName } from './row-name.ts';
import { type BenchmarkProgress, FULL_PLAN } from './run-benchmark.ts';
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
            aria-label={STRINGS.progressLabel}
            {...(progress && { value: progress.done, max: progress.total })}
          />
          <p>{progress ? progressText(progress) : STRINGS.preparing}</p>
        </>
      )}
      <p role="status" className={isRunning ? 'visually-hidden' : 'benchmark-end'}>
        {statusText(state)}
      </p>
    </div>
  );
}

function progressText({ phase, key, round }: BenchmarkProgress): string {
  if (phase === 'live' || !key) return STRINGS.live;
  if (phase === 'starting') return STRINGS.starting(rowName(key));
  return STRINGS.measuring(rowName(key), round, FULL_PLAN.rounds);
}

function statusText(state: BenchmarkState): string {
  switch (state.kind) {
    case 'idle':
      return '';
    case 'preparing':
      return STRINGS.preparing;
    case 'running':
      return state.progress.phase === 'live' ? STRINGS.live : '';
    case 'stopped':
      return STRINGS.stopped;
    case 'failed':
      return `${STRINGS.failed} ${failureText(state.error)}`;
    case 'done':
      return STRINGS.finished;
    default:
      return assertNever(state);
  }
}

/** What went wrong, for people; the developer's text where there is no better one. */
function failureText({ code, message }: ErrorInfo): string {
  if (code === 'asset-wrong') return STRINGS.failures.notAudio;
  return code === 'asset-unreachable' ? STRINGS.failures.notFetched : message;
}
