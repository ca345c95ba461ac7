import { newId } from '../platform/ids.ts';

/**
 * Calls `onDeath` at once when a worker is no more: it holds a lock (`hold`) that the browser gives
 * to the page the moment the worker is gone. Says nothing of a worker that hangs. The answer ends
 * the watch.
 */
export function watchLifeLock(
  hold: (name: string) => Promise<void>,
  onDeath: () => void,
  locks: LockManager | undefined = navigator.locks,
): () => void {
  const watch = new AbortController();
  const { signal } = watch;
  const name = `diktera:worker:${newId()}`;
  if (locks) {
    hold(name)
      .then(() =>
        locks.request(name, { signal }, () => {
          if (!signal.aborted) onDeath();
        }),
      )
      .catch(() => {}); // Aborted, or no locks here: the heartbeat is there too.
  }
  return () => watch.abort();
}
