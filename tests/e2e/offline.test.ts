import { resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SPOKEN_WORDS } from '../helpers/spoken-words.ts';
import { wordErrorRate } from '../helpers/word-error-rate.ts';
import { appPage } from './helpers/app-page.ts';
import { dictationPage, openDiagnostics } from './helpers/dictation-page.ts';
import { type RunningServer, startServer } from './helpers/server.ts';
import { openSpeakingBrowser, type SpeakingBrowser } from './helpers/speaking-browser.ts';

let server: RunningServer;
let browser: SpeakingBrowser;

async function open(settings: NodeJS.ProcessEnv = {}) {
  server = await startServer(undefined, settings);
  browser = await openSpeakingBrowser({
    wavPath: resolve('tests/fixtures/dictation-one.wav'),
    url: server.url,
    isApp: true,
  });
  return browser.page;
}

afterEach(async () => {
  await browser.close();
  await server.stop();
});

test('what the page asks of the API does not go through the service worker', async () => {
  const page = await open();
  await appPage(page).untilKept();
  await page.reload();
  const sources = await page.evaluate(async () => {
    for (const path of ['/api/health', '/icon.svg']) await (await fetch(path)).arrayBuffer();
    // Not in TypeScript's own list: by which route it came, if by one.
    type Routed = PerformanceResourceTiming & { readonly workerFinalSourceType: string };
    const entries = performance.getEntriesByType('resource') as Routed[];
    return entries
      .filter(({ initiatorType }) => initiatorType === 'fetch')
      .map(({ name, workerStart, workerFinalSourceType }) => ({
        path: new URL(name).pathname,
        isByWorker: workerStart > 0 && workerFinalSourceType !== 'network',
      }));
  });
  expect(sources).toContainEqual({ path: '/api/health', isByWorker: false });
  expect(sources).toContainEqual({ path: '/icon.svg', isByWorker: true });
});

describe('without a server', () => {
  beforeEach(async () => {
    await appPage(await open()).untilKept();
  });

  test('the page opens again, records, and its text comes when the server does', async () => {
    const { page } = browser;
    await server.stop();
    await page.goto(server.url);
    const dictation = dictationPage(page);
    await dictation.field.click();
    await page.keyboard.type('Hej.');
    await dictation.startDictating();
    await dictation.recordUntil(6);
    await dictation.stopDictating();
    await page.locator('.waiting li').waitFor();
    expect(await dictation.text()).toBe('Hej.');
    await page
      .locator('[data-line="no-server"]', { hasText: '1 diktering är sparad här' })
      .waitFor();
    await browser.context.setOffline(true);
    await page.locator('[data-line="no-network"]', { hasText: '1 diktering är sparad' }).waitFor();
    expect(await page.locator('.app-line').count()).toBe(1);
    await browser.context.setOffline(false);

    server = await startServer(server.port);
    const heard = async () => (await dictation.text()).replace('Hej.', '');
    const words = SPOKEN_WORDS['dictation-one'];
    await expect
      .poll(async () => wordErrorRate(words, await heard()), { timeout: 60_000 })
      .toBeLessThanOrEqual(0.2);
    await page.locator('.waiting li').waitFor({ state: 'detached' });
    await page.locator('.app-line').waitFor({ state: 'detached' });
  });

  test('not one byte comes from the network, and the benchmark page opens as well', async () => {
    const { page, context, errors } = browser;
    const asked: string[] = [];
    // The service worker's own requests are listed here too.
    context.on('request', (request) => {
      if (request.serviceWorker()) asked.push(request.url());
    });
    await server.stop();
    await page.goto(server.url);
    await dictationPage(page).field.click();
    await page.goto(`${server.url}/benchmark.html?lang=en`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(asked.filter((url) => !new URL(url).pathname.startsWith('/api/'))).toEqual([]);
    // Chromium does not name what it could not load: that is of the API, as the line above says.
    const own = errors.filter((text) => !/\/api\/|^Failed to load resource/.test(text));
    expect(own).toEqual([]);
  });

  test('a kept file that is damaged is fetched anew, and mended', async () => {
    const { page } = browser;
    const lengthOfKept = () =>
      page.evaluate(async () => {
        const name = (await caches.keys()).find((key) => key.includes('precache')) ?? '';
        const cache = await caches.open(name);
        const [key] = (await cache.keys()).filter(({ url }) => url.includes('silero-v6-fused'));
        const answer = key && (await cache.match(key));
        return (await answer?.arrayBuffer())?.byteLength;
      });
    const length = await lengthOfKept();
    expect(length).toBeGreaterThan(100_000);
    await page.evaluate(async () => {
      const name = (await caches.keys()).find((key) => key.includes('precache')) ?? '';
      const cache = await caches.open(name);
      const [key] = (await cache.keys()).filter(({ url }) => url.includes('silero-v6-fused'));
      if (key) await cache.put(key, new Response('damaged'));
    });
    await page.goto(server.url);
    const dictation = dictationPage(page);
    await dictation.field.click();
    await dictation.startDictating();
    await dictation.recordUntil(2);
    expect(await dictation.notices.count()).toBe(0);
    expect(await lengthOfKept()).toBe(length);
    await dictation.stopDictating();
  });

  test('the service worker speaks to its own server only', async () => {
    const { context } = browser;
    const elsewhere = 'https://elsewhere.example/words';
    const forAll = {
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    };
    await context.route(elsewhere, (route) => route.fulfill({ body: 'words', headers: forAll }));
    const [worker] = context.serviceWorkers();
    const answers = await worker?.evaluate(
      (urls) =>
        Promise.all(
          urls.map((url) =>
            fetch(url).then(
              ({ status }) => status,
              () => 'refused',
            ),
          ),
        ),
      [elsewhere, '/api/health'],
    );
    expect(answers).toEqual(['refused', 200]);
  });

  test('nothing of the API is kept', async () => {
    const { page } = browser;
    const kept = await page.evaluate(async () => {
      const names = await caches.keys();
      const all = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
      return all.flat().map(({ url }) => new URL(url).pathname);
    });
    expect(kept.length).toBeGreaterThan(15);
    expect(kept.filter((path) => /^\/(api|v1)\//.test(path))).toEqual([]);
    await openDiagnostics(page);
    await page.locator('[data-fact="kept"]', { hasText: 'Ja' }).waitFor();
    expect(await page.locator('[data-fact="version"] td').innerText()).toMatch(
      /^\d.*\+[0-9a-f]{8}$/,
    );
  });
});

test('where people sign in the server is asked first: signed out is signed out', async () => {
  const token = 'a-token-of-16-chars';
  const page = await open({ API_TOKENS: token });
  await page.getByLabel('Åtkomstnyckel').fill(token);
  await page.getByRole('button', { name: 'Logga in' }).click();
  await appPage(page).untilKept();
  await page.context().clearCookies();
  await page.goto(server.url);
  await page.getByLabel('Åtkomstnyckel').fill(token);
  await page.getByRole('button', { name: 'Logga in' }).click();
  await dictationPage(page).field.waitFor();

  await page.getByRole('button', { name: 'Logga ut' }).click();
  await page.getByLabel('Åtkomstnyckel').waitFor();
  expect(await appPage(page).hasWorker()).toBe(false);
});
