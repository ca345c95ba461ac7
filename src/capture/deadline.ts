import type { Clock } from '../core/clock.ts';

/**
 * What `promise` gives, or what `late` gives or throws if it has not settled after `deadlineMs`.
 * Whatever it brings later is ignored.
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
