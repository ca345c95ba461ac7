import type { CancelTimer, Clock } from '../core/clock.ts';

/** The signal of work that must end, and the end of it. */
type Ending = {
  readonly signal: AbortSignal;
  /** Call it when the work is over, too: it aborts the signal, and no timer and no listener stays. */
  readonly end: () => void;
};

/**
 * Ends work when one of `signals` is aborted, with its reason. Stands for `AbortSignal.any`, which
 * Firefox has from 124 on, and which cannot be ended by itself.
 */
export function endedWith(...signals: readonly AbortSignal[]): Ending {
  const ending = new AbortController();
  const { signal } = ending;
  for (const each of signals) {
    const end = (): void => ending.abort(each.reason);
    if (each.aborted) end();
    else each.addEventListener('abort', end, { signal });
  }
  return { signal, end: () => ending.abort() };
}

/**
 * The same, and after `ms` by the clock with a `TimeoutError`, as `AbortSignal.timeout`, which goes
 * by no clock of ours. `restart` has the time count from now.
 */
export function deadline(
  clock: Clock,
  ms: number,
  ...signals: readonly AbortSignal[]
): Ending & { readonly restart: () => void } {
  const late = new AbortController();
  const { signal, end } = endedWith(late.signal, ...signals);
  let cancel: CancelTimer = () => {};
  const restart = (): void => {
    cancel();
    if (signal.aborted) return;
    cancel = clock.after(ms, () => late.abort(new DOMException('Late', 'TimeoutError')));
  };
  restart();
  signal.addEventListener('abort', () => cancel());
  return { signal, end, restart };
}

/**
 * Settles as `promise` does, or as `late` does if `promise` has not settled after `deadlineMs`; a
 * later answer is ignored.
 */
export function withDeadline<T>(
  clock: Clock,
  promise: Promise<T>,
  deadlineMs: number,
  late: () => T,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(deadlineMs, () => {
      try {
        resolve(late());
      } catch (error) {
        reject(error);
      }
    });
    promise.then(resolve, reject).finally(cancel);
  });
}
