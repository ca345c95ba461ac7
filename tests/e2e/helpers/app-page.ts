import type { Locator, Page } from 'playwright';

/** The page as an app: what its service worker does. */
export type AppPage = {
  /** Waits until the page would open without a network. */
  untilKept(): Promise<void>;
  /** The build that the page is of. */
  version(): Promise<string | null>;
  /** Has the browser look for a newer build now. */
  findUpdate(): Promise<void>;
  /** A newer service worker waits for the pages of the one before. */
  isWaiting(): Promise<boolean>;
  /** The line about a newer build. */
  readonly update: Locator;
  /** True if the page has a service worker. */
  hasWorker(): Promise<boolean>;
};

export function appPage(page: Page): AppPage {
  return {
    async untilKept() {
      await page.evaluate(async () => {
        const { serviceWorker } = navigator;
        while ((await serviceWorker.getRegistration())?.active?.state !== 'activated') {
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      });
    },
    version: () => page.locator('meta[name="diktera-version"]').getAttribute('content'),
    async findUpdate() {
      await page.evaluate(async () => {
        await (await navigator.serviceWorker.getRegistration())?.update();
      });
    },
    isWaiting: () =>
      page.evaluate(async () => {
        const registration = await navigator.serviceWorker.getRegistration();
        return registration?.waiting != null;
      }),
    update: page.locator('[data-line="update"]'),
    hasWorker: () =>
      page.evaluate(async () => (await navigator.serviceWorker.getRegistration()) !== undefined),
  };
}
