import type { ErrorInfo } from '../core/errors.ts';
import { STRINGS } from './benchmark-strings.ts';
import { rowName } from './row-name.ts';
import type { BenchmarkOutcome } from './run-benchmark.ts';

/** What could not be measured, and why. */
export function FailureNotices({ failures }: Pick<BenchmarkOutcome, 'failures'>) {
  return failures.map(({ key, error }) => (
    <p className="benchmark-notice" key={rowName(key)}>
      {`${STRINGS.partFailed} ${rowName(key)}. ${failureText(error)}`}
    </p>
  ));
}

/** For people; the developer's text where there is no better one. */
function failureText({ code, message }: ErrorInfo): string {
  return code === 'worker-timeout' ? STRINGS.failures.noAnswer : message;
}
