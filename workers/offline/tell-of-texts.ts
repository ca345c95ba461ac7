import { notificationTexts } from './notification-texts.ts';

/** A later one takes the place of the one before. */
const TAG = 'diktera:texts';

/** Says that texts have come, if the person has allowed it and sees no page of ours. */
export async function tellOfTexts(
  scope: ServiceWorkerGlobalScope,
  texts: number,
  language: string,
): Promise<void> {
  if (Notification.permission !== 'granted') return;
  const pages = await scope.clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (pages.some(({ visibilityState }) => visibilityState === 'visible')) return;
  const { title, body } = notificationTexts(language);
  const icon = 'app/icon-192.png';
  await scope.registration.showNotification(title, { body: body(texts), tag: TAG, icon });
}

/** A press on it leads to the page, an open one if there is one. */
export function openOnPress(scope: ServiceWorkerGlobalScope): void {
  const open = async (): Promise<void> => {
    const [page] = await scope.clients.matchAll({ type: 'window', includeUncontrolled: true });
    if (page) await page.focus();
    else await scope.clients.openWindow(scope.registration.scope);
  };
  scope.addEventListener('notificationclick', (event) => {
    event.notification.close();
    event.waitUntil(open());
  });
}
