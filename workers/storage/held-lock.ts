/** Gives a lock back; harmless when done twice. */
export type ReleaseLock = () => void;

/**
 * Takes a lock and keeps it until it is released or the tab dies. Answers undefined if it is not to be
 * had: taken by another with `ifAvailable`, or `signal` aborted while waiting.
 *
 * Rejects with the browser's error where locks are refused altogether (an opaque origin).
 */
export function takeLock(
  locks: LockManager,
  name: string,
  options: LockOptions = {},
): Promise<ReleaseLock | undefined> {
  return new Promise((resolve, reject) => {
    locks
      .request(name, options, (lock) => {
        if (!lock) return resolve(undefined);
        return new Promise<void>((release) => resolve(() => release()));
      })
      .catch((thrown: unknown) => {
        if (options.signal?.aborted) resolve(undefined);
        else reject(thrown);
      });
  });
}
