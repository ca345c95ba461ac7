import { syncTag } from '../../core/contracts/app-messages.ts';
import type { Dictation } from '../../core/contracts/dictation.ts';
import { isWanting } from '../../core/queue/queue-item.ts';

/** Beside the page. */
const ADDRESS = `${import.meta.env.BASE_URL}service-worker.js`;

/** Browsers offer none on pages that are not served over https, and some in private windows. */
function container(): ServiceWorkerContainer | undefined {
  return navigator.serviceWorker;
}

/** Undefined where there can be none: the page works without. */
export async function registerServiceWorker(): Promise<ServiceWorkerRegistration | undefined> {
  try {
    // Asked for past the browser's cache each time, or a broken one could not be taken back.
    await container()?.register(ADDRESS, { updateViaCache: 'none' });
    return await container()?.getRegistration();
  } catch (error) {
    console.info('The page will not open without a network', error);
    return undefined;
  }
}

/** True if the page opens without a network from now on. */
export async function opensOffline(): Promise<boolean> {
  const registration = await container()?.getRegistration();
  return registration?.active != null;
}

/** After signing out the page has to come from its server again. */
export async function forgetServiceWorker(): Promise<void> {
  const registration = await container()?.getRegistration();
  await registration?.unregister();
}

/** Not in TypeScript's own list: only Chromium has it. */
type WithSync = ServiceWorkerRegistration & {
  readonly sync?: { register(tag: string): Promise<void> };
};

/**
 * Asks the browser to call the service worker when there is a network and something waits, since
 * this page may be closed by then. Browsers that never call leave it to the next opening.
 */
export function sendWhenClosed(
  dictation: Dictation,
  registration: WithSync,
  language: () => string,
): void {
  let asked = 0;
  const ask = (): void => {
    // Refused in a private window, and where a person has turned it off.
    registration.sync?.register(syncTag(language())).catch(() => {});
  };
  const waiting = (): number =>
    dictation.getSnapshot().queue.items.filter(({ state }) => isWanting(state)).length;

  dictation.subscribe(() => {
    const now = waiting();
    if (now > asked) ask();
    asked = now;
  });
  // The browser may have called, in vain, while this page was sending.
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden' && waiting() > 0) ask();
  });
  if (waiting() > 0) ask();
}

/** The build this page is of, as the build wrote it down; empty where none did. */
export function pageVersion(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="diktera-version"]')?.content ?? '';
}
