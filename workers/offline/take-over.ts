import type { AppAnswer, AppMessage } from '../../src/core/contracts/app-messages.ts';

/**
 * A new build waits until a page says that it may answer for all of them; then all are told, those
 * that came straight from the server too.
 */
export function takeOverWhenTold(scope: ServiceWorkerGlobalScope, version: string): void {
  const answer: AppAnswer = { kind: 'build-here', version };

  async function tellAll(): Promise<void> {
    const pages = await scope.clients.matchAll({ includeUncontrolled: true, type: 'window' });
    for (const page of pages) page.postMessage(answer);
  }

  scope.addEventListener('activate', (event) => event.waitUntil(tellAll()));
  scope.addEventListener('message', (event) => {
    const { kind } = event.data as AppMessage;
    if (kind === 'take-over') event.waitUntil(scope.skipWaiting());
    else event.source?.postMessage(answer);
  });
}
