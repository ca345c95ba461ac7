import type { Supervisor } from './supervisor.ts';

/**
 * Tells the worker what only a page can see and what may mean that sending works again. The answer
 * ends it.
 */
export function forwardPageEvents(supervisor: Supervisor): () => void {
  const ending = new AbortController();
  const tell = (kind: 'online' | 'visible' | 'hidden') =>
    void supervisor.worker().api.report({ kind });
  const onVisibility = (): void => {
    if (document.visibilityState === 'visible') tell('visible');
    // A page that is left needs no worker for that.
    else if (supervisor.hasWorker()) tell('hidden');
  };
  addEventListener('online', () => tell('online'), ending);
  // What was deleted here cannot be had back. A worker that is ended first leaves it to the next.
  addEventListener(
    'pagehide',
    () => supervisor.hasWorker() && void supervisor.worker().api.emptyBin(),
    ending,
  );
  // Somebody may have signed in in another window.
  addEventListener('focus', onVisibility, ending);
  document.addEventListener('visibilitychange', onVisibility, ending);
  return () => ending.abort();
}
