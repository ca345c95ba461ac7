import { sleep } from '../../src/core/async.ts';
import type { Clock } from '../../src/core/clock.ts';

/** Gives a lock back, fulfilled when others can see that; harmless when done twice. */
export type ReleaseLock = () => void | Promise<void>;

/**
 * Takes a lock and keeps it until it is released or the tab dies. Answers undefined if it is not to
 * be had: taken by another with `ifAvailable`, or `signal` aborted while waiting.
 *
 * Rejects with the browser's error where locks are refused altogether (an opaque origin).
 */
export function takeLock(
  locks: LockManager,
  name: string,
  options: LockOptions = {},
): Promise<ReleaseLock | undefined> {
  return new Promise((resolve, reject) => {
    const ended = locks
      .request(name, options, (lock) => {
        if (!lock) return resolve(undefined);
        return new Promise<void>((free) => {
          resolve(() => {
            free();
            return ended;
          });
        });
      })
      .then(
        () => {},
        (thrown: unknown) => {
          if (options.signal?.aborted) resolve(undefined);
          else reject(thrown);
        },
      );
  });
}

/** A browser's lock manager answers in milliseconds; one that has not by now will not. */
export const LOCK_DEADLINE_MS = 5_000;

/**
 * Takes a lock if nobody has it. Undefined if another has it, or the browser does not say in 5 s;
 * then a lock that comes late is given back. Rejects as `takeLock`.
 */
export async function takeLockNow(
  locks: LockManager,
  name: string,
  clock: Clock,
): Promise<ReleaseLock | undefined> {
  const taking = takeLock(locks, name, { ifAvailable: true });
  const late = sleep(clock, LOCK_DEADLINE_MS).then(() => 'late' as const);
  const taken = await Promise.race([taking, late]);
  if (taken !== 'late') return taken;
  taking.then((release) => release?.()).catch(() => {});
  return undefined;
}
