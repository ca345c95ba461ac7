import type { Supervisor } from './supervisor.ts';

/**
 * Tells the worker what only a page can see and what may mean that sending works again. The answer
 * ends it.
 */
export function forwardPageEvents(supervisor: Supervisor): () => void {
  const onOnline = (): void => {
    void supervisor.worker().api.report({ kind: 'online' });
  };
  const onVisibility = (): void => {
    const isVisible = document.visibilityState === 'visible';
    // A page that is left needs no worker for that.
    if (!isVisible && !supervisor.hasWorker()) return;
    void supervisor.worker().api.report({ kind: isVisible ? 'visible' : 'hidden' });
  };
  window.addEventListener('online', onOnline);
  document.addEventListener('visibilitychange', onVisibility);
  return () => {
    window.removeEventListener('online', onOnline);
    document.removeEventListener('visibilitychange', onVisibility);
  };
}
