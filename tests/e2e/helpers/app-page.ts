import type { Page } from 'playwright';
import { vi } from 'vitest';

/** The page as an app: what its service worker does. */
export type AppPage = {
  /** Waits until the page would open without a network. */
  untilKept(): Promise<void>;
  /** Whether there is a service worker at all. */
  hasWorker(): Promise<boolean>;
};

export function appPage(page: Page): AppPage {
  const stateOf = () =>
    page.evaluate(async () => {
      const registration = await navigator.serviceWorker.getRegistration();
      return registration && (registration.active?.state ?? 'coming');
    });
  return {
    async untilKept() {
      await vi.waitUntil(async () => (await stateOf()) === 'activated', 60_000);
    },
    hasWorker: async () => (await stateOf()) !== undefined,
  };
}
