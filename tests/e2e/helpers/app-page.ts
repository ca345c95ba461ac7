import type { Locator, Page } from 'playwright';
import { vi } from 'vitest';

/** The page as an app: what its service worker does. */
export type AppPage = {
  /** Waits until the page would open without a network. */
  untilKept(): Promise<void>;
  /** The build that the page is of. */
  version(): Promise<string | null>;
  /** Has the browser look for a newer build now. */
  findUpdate(): Promise<void>;
  /** The line about a newer build. */
  readonly update: Locator;
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
    version: () => page.locator('meta[name="diktera-version"]').getAttribute('content'),
    async findUpdate() {
      await page.evaluate(async () => {
        await (await navigator.serviceWorker.getRegistration())?.update();
      });
    },
    update: page.locator('[data-line="update"]'),
    hasWorker: async () => (await stateOf()) !== undefined,
  };
}
