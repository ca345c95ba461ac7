import type { WorkerConnection } from './worker-connection.ts';

/**
 * Tells the worker what only a page can see and what may mean that sending works again. The answer
 * ends it.
 */
export function forwardPageEvents(connection: WorkerConnection): () => void {
  const ending = new AbortController();
  const tell = (kind: 'online' | 'visible' | 'hidden') =>
    connection.tell((api) => api.report({ kind }));
  const onVisibility = (): void => {
    if (document.visibilityState === 'visible') tell('visible');
    // A page that is left needs no worker for that.
    else if (connection.hasWorker()) tell('hidden');
  };
  addEventListener('online', () => tell('online'), ending);
  // What was deleted here cannot be had back. A worker that is ended first leaves it to the next.
  addEventListener(
    'pagehide',
    () => connection.hasWorker() && connection.tell((api) => api.emptyBin()),
    ending,
  );
  // Somebody may have signed in in another window.
  addEventListener('focus', onVisibility, ending);
  document.addEventListener('visibilitychange', onVisibility, ending);
  return () => ending.abort();
}
