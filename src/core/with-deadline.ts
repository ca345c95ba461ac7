import type { Clock } from './clock.ts';

/**
 * What `promise` gives, unless it takes longer than `deadlineMs`: then it rejects with what
 * `onLate` makes. The late answer is dropped.
 */
export function withDeadline<Value>(
  clock: Clock,
  deadlineMs: number,
  promise: Promise<Value>,
  onLate: () => Error,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(deadlineMs, () => reject(onLate()));
    promise.then(resolve, reject).finally(cancel);
  });
}
