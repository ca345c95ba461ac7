import { resolve } from 'node:path';
import type { Page } from 'playwright';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { appPage } from './helpers/app-page.ts';
import { type DeployedWeb, deployWeb } from './helpers/deployed-web.ts';
import { dictationPage } from './helpers/dictation-page.ts';
import { type RunningServer, startServer } from './helpers/server.ts';
import { openSpeakingBrowser, type SpeakingBrowser } from './helpers/speaking-browser.ts';

let web: DeployedWeb;
let server: RunningServer;
let browser: SpeakingBrowser;
let page: Page;

beforeEach(async () => {
  web = deployWeb();
  server = await startServer(undefined, { WEB_ROOT: web.webRoot });
  browser = await openSpeakingBrowser({
    wavPath: resolve('tests/fixtures/dictation-one.wav'),
    url: 'about:blank',
    isApp: true,
  });
  page = browser.page;
});
afterEach(async () => {
  await browser.close();
  await server.stop();
  web.remove();
});

/** Waits until a service worker was tried and given up. */
async function untilGivenUp(): Promise<void> {
  await page.locator('.app-bar').waitFor({ state: 'attached' });
  await expect.poll(() => appPage(page).hasWorker(), { timeout: 30_000 }).toBe(false);
}

const keptCount = () =>
  page.evaluate(async () => {
    const names = await caches.keys();
    const all = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    return all.flat().length;
  });

async function expectDictation(): Promise<void> {
  const dictation = dictationPage(page);
  await dictation.field.click();
  await dictation.startDictating();
  await dictation.recordUntil(4);
  await dictation.stopDictating();
  expect(await dictation.text()).not.toBe('');
  await dictation.field.fill('');
}

test('a file that does not come: nothing is kept, the page works, and the next opening mends it', async () => {
  const bringBack = web.takeAway('icon.svg');
  await page.goto(server.url);
  await untilGivenUp();
  await expectDictation();

  bringBack();
  await page.reload();
  await appPage(page).untilKept();
});

test('a disk that is full midway: what was kept goes back to recordings, and the page works', async () => {
  const devTools = await browser.context.newCDPSession(page);
  const setQuota = (quota: { quotaSize?: number }) =>
    devTools.send('Storage.overrideQuotaForOrigin', { origin: server.url, ...quota });
  await browser.context.route('**/icon.svg', async (route) => {
    if (route.request().serviceWorker()) {
      expect(await keptCount()).toBeGreaterThan(10);
      await setQuota({ quotaSize: 1 });
    }
    await route.continue();
  });
  await page.goto(server.url);
  await untilGivenUp();
  expect(await keptCount()).toBe(0);
  await setQuota({});
  await expectDictation();

  await browser.context.unroute('**/icon.svg');
  await page.reload();
  await appPage(page).untilKept();
  expect(await keptCount()).toBeGreaterThan(20);
});

test('an update that does not come whole, and one without a network: the older build stays', async () => {
  await page.goto(server.url);
  await appPage(page).untilKept();
  const version = await appPage(page).version();
  await web.deploy('2.0.0+broken');
  // One that is not the older build's: what is the same is not fetched again.
  web.takeAway('benchmark.html');
  await appPage(page).findUpdate();
  await expect
    .poll(() =>
      page.evaluate(async () => {
        const registration = await navigator.serviceWorker.getRegistration();
        return [registration?.installing?.state, registration?.waiting?.state];
      }),
    )
    .toEqual([undefined, undefined]);
  await server.stop();
  await expect(appPage(page).findUpdate()).rejects.toThrow();
  await page.goto(server.url);
  expect(await appPage(page).version()).toBe(version);
  await dictationPage(page).field.fill('Går att skriva i.');
});
