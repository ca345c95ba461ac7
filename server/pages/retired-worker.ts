/** Where the pages' service worker is. */
export const SERVICE_WORKER_PATH = '/service-worker.js';

/**
 * Takes the place of a service worker that must go: it answers for nothing, deletes the pages that
 * were kept, and leaves. What was dictated is elsewhere, and stays; open pages go on as they are.
 */
export const RETIRED_WORKER = `self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(leave()));
async function leave() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.includes('-precache-')).map((name) => caches.delete(name)));
  await self.registration.unregister();
}
`;
