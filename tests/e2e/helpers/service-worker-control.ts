import type { CDPSession, Page } from 'playwright';

type Version = {
  readonly versionId: string;
  readonly registrationId: string;
  readonly runningStatus: string;
};

/** A service worker in a test's hands, as the browser's own tools have it. */
export type ServiceWorkerControl = {
  /** Has the browser call it, as it does when there is a network. */
  sync(tag: string): Promise<void>;
  /** Ends it in the middle of whatever it does. */
  kill(): Promise<void>;
};

/** Takes hold of the one service worker of `origin`, seen from a page of any other. */
export async function controlServiceWorker(
  page: Page,
  origin: string,
): Promise<ServiceWorkerControl> {
  const session: CDPSession = await page.context().newCDPSession(page);
  let current: Version | null = null;
  const looks = new Set<() => void>();
  session.on('ServiceWorker.workerVersionUpdated', ({ versions }) => {
    const active = versions.find(
      ({ scriptURL, status }) => scriptURL.startsWith(origin) && status === 'activated',
    );
    if (active) current = active;
    for (const look of looks) look();
  });
  await session.send('ServiceWorker.enable');
  const version = (fits = (_: Version) => true) =>
    new Promise<Version>((resolve) => {
      const look = () => {
        if (current && fits(current)) resolve(current);
      };
      looks.add(look);
      look();
    });
  return {
    async sync(tag) {
      const { registrationId } = await version();
      await session.send('ServiceWorker.dispatchSyncEvent', {
        origin,
        registrationId,
        tag,
        lastChance: false,
      });
    },
    async kill() {
      const { versionId } = await version();
      await session.send('ServiceWorker.stopWorker', { versionId });
      await version(({ runningStatus }) => runningStatus === 'stopped');
    },
  };
}
