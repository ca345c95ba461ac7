import { resolve } from 'node:path';
import type { Page } from 'playwright';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DATABASE_NAME, DATABASE_VERSION } from '../../src/core/contracts/database.ts';
import { SPOKEN_WORDS } from '../helpers/spoken-words.ts';
import { until } from '../helpers/until.ts';
import { wordErrorRate } from '../helpers/word-error-rate.ts';
import { appPage } from './helpers/app-page.ts';
import { type DeployedWeb, deployWeb } from './helpers/deployed-web.ts';
import { dictationPage } from './helpers/dictation-page.ts';
import { type RunningServer, startServer } from './helpers/server.ts';
import { openSpeakingBrowser, type SpeakingBrowser } from './helpers/speaking-browser.ts';

const NEWER = '2.0.0+newer';
const WORDS = SPOKEN_WORDS['dictation-one'];

let web: DeployedWeb;
let server: RunningServer;
let browser: SpeakingBrowser;
let older: Page;

beforeEach(async () => {
  web = deployWeb();
  server = await startServer(undefined, { WEB_ROOT: web.webRoot });
  browser = await openSpeakingBrowser({
    wavPath: resolve('tests/fixtures/dictation-one.wav'),
    url: server.url,
    isApp: true,
  });
  older = browser.page;
  await appPage(older).untilKept();
});

afterEach(async () => {
  await browser.close();
  await server.stop();
  web.remove();
});

const untilNewer = (page: Page) =>
  until(
    async () =>
      (await appPage(page)
        .version()
        .catch(() => '')) === NEWER,
    60_000,
  );

async function openTab(): Promise<Page> {
  const page = await browser.context.newPage();
  await page.goto(server.url);
  return page;
}

test('a newer build is taken by itself where nobody is at work', async () => {
  const other = await openTab();
  await web.deploy(NEWER);
  await appPage(older).findUpdate();
  await untilNewer(older);
  await untilNewer(other);
});

test('while one tab records another may take it: two builds share the store, nothing is lost', async () => {
  const dictation = dictationPage(older);
  await dictation.field.click();
  await dictation.startDictating();
  const newer = await openTab();
  await web.deploy(NEWER, /^DictationList-/);
  await appPage(older).findUpdate();
  await appPage(older).update.getByText('Du kan ladda om när du är klar.').waitFor();
  expect(await appPage(older).update.getByRole('button').count()).toBe(0);
  await appPage(newer).update.getByRole('button', { name: 'Ladda om' }).click();
  await untilNewer(newer);
  await dictation.recordUntil(6);
  await dictation.stopDictating();
  const heard = await dictation.text();
  expect(wordErrorRate(WORDS, heard), heard).toBeLessThanOrEqual(0.2);
  expect(await appPage(older).version()).not.toBe(NEWER);

  // The older tab still has files that the server no longer has.
  await older.locator('#dictations summary').click();
  await older.locator('.recent li').first().waitFor();
  const inNewer = dictationPage(newer);
  await inNewer.field.click();
  await inNewer.startDictating();
  await inNewer.recordUntil(3);
  await inNewer.stopDictating();

  await appPage(older).update.getByRole('button', { name: 'Ladda om' }).click();
  await untilNewer(older);
  expect(await dictation.text(), 'the text came along').toBe(heard);
});

test('a text that stands nowhere else is not taken along by itself', async () => {
  // From its second opening on a page has a service worker, for which the newer one waits.
  await older.reload();
  await dictationPage(older).field.fill('Bara här.');
  await web.deploy(NEWER);
  await appPage(older).findUpdate();
  await appPage(older).update.getByText('Ny version finns.').waitFor();
  const other = await openTab();
  await appPage(other).update.waitFor();
  for (const page of [older, other]) expect(await appPage(page).version()).not.toBe(NEWER);
  await dictationPage(older).field.fill('');
  await untilNewer(older);
  await untilNewer(other);
});

test('nor at a first visit, where a tab that is opened then has the newer build at once', async () => {
  await dictationPage(older).field.fill('Bara här.');
  await web.deploy(NEWER);
  await appPage(older).findUpdate();
  await appPage(older).update.getByText('Ny version finns.').waitFor();
  // No page is this service worker's yet, so the newer one does not wait.
  await expect.poll(() => appPage(older).isWaiting()).toBe(false);
  const other = await openTab();
  expect(await appPage(other).version()).toBe(NEWER);
  expect(await dictationPage(other).text()).toBe('');
  expect(await appPage(older).version()).not.toBe(NEWER);
  expect(await dictationPage(older).text()).toBe('Bara här.');
  await dictationPage(older).field.fill('');
  await untilNewer(older);
});

test('a newer form of the store: the older tab loses nothing and is told to reload', async () => {
  const dictation = dictationPage(older);
  await older.waitForSelector('.app-bar', { state: 'attached' });
  await dictation.field.click();
  await dictation.startDictating();
  await dictation.recordUntil(2);
  const newer = await openTab();
  // As the first tab of a build with another form would.
  await newer.evaluate(
    ([name, version]) =>
      new Promise<void>((resolve, reject) => {
        const request = indexedDB.open(name, version);
        request.onsuccess = () => resolve(request.result.close());
        request.onerror = () => reject(request.error);
      }),
    [DATABASE_NAME, DATABASE_VERSION + 1] as const,
  );
  await appPage(older).update.getByText('En nyare version är öppen i en annan flik.').waitFor();
  await dictation.recordUntil(6);
  await dictation.stopDictating();
  const heard = await dictation.text();
  expect(wordErrorRate(WORDS, heard), heard).toBeLessThanOrEqual(0.2);
});

test('a service worker that must go is retired by its server, and what was dictated stays', async () => {
  await server.stop();
  const dictation = dictationPage(older);
  await dictation.field.click();
  await dictation.startDictating();
  await dictation.recordUntil(3);
  await dictation.stopDictating();
  await older.locator('.waiting li').waitFor();
  await dictation.field.fill('');
  server = await startServer(server.port, {
    WEB_ROOT: web.webRoot,
    RETIRE_SERVICE_WORKER: 'true',
    // Nobody writes down what waits.
    MAX_AUDIO_S: '1',
  });
  await older.goto(server.url);
  await expect.poll(() => appPage(older).hasWorker(), { timeout: 20_000 }).toBe(false);
  await expect.poll(() => older.evaluate(() => caches.keys())).toEqual([]);
  await older.reload();
  await older.locator('.waiting li').waitFor();
});
