import { resolve } from 'node:path';
import type { Page } from 'playwright';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFakeEngine, type FakeEngine } from '../helpers/fake-engine.ts';
import { type RunningServer, startServer } from '../helpers/running-server.ts';
import { appPage } from './helpers/app-page.ts';
import { dictationPage } from './helpers/dictation-page.ts';
import {
  controlServiceWorker,
  type ServiceWorkerControl,
} from './helpers/service-worker-control.ts';
import { openSpeakingBrowser, type SpeakingBrowser } from './helpers/speaking-browser.ts';

const TAG = 'diktera-queue:sv';
const DICTATIONS = 2;

let server: RunningServer;
let engine: FakeEngine;
let browser: SpeakingBrowser;
let control: ServiceWorkerControl;

/** A page that dictates while nobody writes anything down, and is closed. */
beforeEach(async () => {
  engine = createFakeEngine(null, 'sv');
  engine.set({ kind: 'loading' });
  server = await startServer({
    engine: engine.engine,
    pages: { kind: 'folder', webRoot: 'dist/web' },
  });
  browser = await openSpeakingBrowser({
    wavPath: resolve('tests/fixtures/dictation-one.wav'),
    url: server.url,
    isApp: true,
  });
  const { page, context } = browser;
  await appPage(page).untilKept();
  const dictation = dictationPage(page);
  await dictation.field.click();
  for (let count = 1; count <= DICTATIONS; count += 1) {
    await dictation.startDictating();
    await dictation.recordUntil(2.5);
    await dictation.stopDictating();
    await page
      .locator('.waiting li')
      .nth(count - 1)
      .waitFor();
  }
  control = await controlServiceWorker(await context.newPage(), server.url);
  await page.close();
  engine.set({ kind: 'ready' });
});
afterEach(async () => {
  for (const call of engine.calls) call.fail(new Error('the test is over'));
  await browser.close();
  await server.close();
});

const calls = (count: number) =>
  expect.poll(() => engine.calls.length, { timeout: 20_000 }).toBe(count);

async function openAgain(): Promise<Page> {
  const page = await browser.context.newPage();
  await page.goto(server.url);
  return page;
}

/** Each dictation's text waits, once, and nobody asks the server for it again. */
async function expectTexts(...texts: readonly string[]): Promise<void> {
  const page = await openAgain();
  const list = page.locator('.waiting li');
  await expect.poll(() => list.count()).toBe(texts.length);
  for (const text of texts) await list.filter({ hasText: text }).waitFor();
}

test('what waits is sent without a page, once each, and its text waits for one', async () => {
  await control.sync(TAG);
  await calls(1);
  engine.calls[0]?.answer('the first');
  await calls(2);
  engine.calls[1]?.answer('the second');
  await expectTexts('the first', 'the second');
  expect(engine.calls.length).toBe(DICTATIONS);
});

test('who has allowed it is told that texts are there, once for all of them', async () => {
  const { context } = browser;
  await context.grantPermissions(['microphone', 'notifications'], { origin: server.url });
  await control.sync(TAG);
  await calls(1);
  engine.calls[0]?.answer('the first');
  await calls(2);
  engine.calls[1]?.answer('the second');
  const [worker] = context.serviceWorkers();
  await expect
    .poll(() =>
      worker?.evaluate(async () => {
        const { registration } = globalThis as unknown as {
          registration: ServiceWorkerRegistration;
        };
        const shown = await registration.getNotifications();
        return shown.map(({ title, body }) => `${title}: ${body}`);
      }),
    )
    .toEqual(['Text klar: 2 stycken är nedskrivna och väntar på dig.']);
});

test('killed in the middle of it, it goes on where it was', async () => {
  await control.sync(TAG);
  await calls(1);
  engine.calls[0]?.answer('the first');
  await calls(2);
  await control.kill();
  // Asked again under the same key, the server gives the answer of the work that is under way.
  await control.sync(TAG);
  engine.calls[1]?.answer('the second');
  await expectTexts('the first', 'the second');
  expect(engine.calls.length).toBe(DICTATIONS);
});

test('a page that is opened meanwhile waits for its turn: nothing is sent twice', async () => {
  await control.sync(TAG);
  await calls(1);
  const page = await openAgain();
  await page.locator('.waiting li').nth(1).waitFor();
  engine.calls[0]?.answer('the first');
  await calls(2);
  engine.calls[1]?.answer('the second');
  await page.locator('.waiting li', { hasText: 'the first' }).waitFor();
  await page.locator('.waiting li', { hasText: 'the second' }).waitFor();
  expect(engine.calls.length).toBe(DICTATIONS);
});
