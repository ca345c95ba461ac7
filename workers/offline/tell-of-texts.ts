import type { Translated } from '../../src/core/translated.ts';

const SWEDISH = {
  title: 'Text klar',
  body: (count: number) =>
    count === 1
      ? 'En diktering är nedskriven och väntar på dig.'
      : `${count} stycken är nedskrivna och väntar på dig.`,
} as const;

const ENGLISH: Translated<typeof SWEDISH> = {
  title: 'Text ready',
  body: (count) =>
    count === 1
      ? 'A dictation is written down and waits for you.'
      : `${count} pieces are written down and wait for you.`,
};

/** A notification's words, in the language of the page. */
function notificationTexts(language: string): Translated<typeof SWEDISH> {
  return language === 'en' ? ENGLISH : SWEDISH;
}

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
