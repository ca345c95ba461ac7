import { resolve } from 'node:path';
import type { Page } from 'playwright';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { EXTENSION_ID } from '../../tools/build-extension.ts';
import { freePort } from '../drivers/processes.ts';
import { startServer } from '../e2e/helpers/server.ts';
import { SPOKEN_WORDS } from '../helpers/spoken-words.ts';
import { until } from '../helpers/until.ts';
import { wordErrorRate } from '../helpers/word-error-rate.ts';
import {
  type ExtensionBrowser,
  openExtensionBrowser,
  type Tools,
  toolsIn,
} from './helpers/extension-browser.ts';
import { serveHostSite } from './helpers/host-site.ts';

const ESPEAK_MAX_ERRORS = 0.2;
const SPOKEN_SECONDS = 6;
const WORDS = SPOKEN_WORDS['dictation-one'];
const BODY = '<textarea aria-label="Note"></textarea>';

let site: Awaited<ReturnType<typeof serveHostSite>>;
let browser: ExtensionBrowser;

beforeAll(async () => {
  site = await serveHostSite({
    '/note': { body: BODY },
    '/elsewhere': { body: '<p>Elsewhere</p>' },
    '/framed': { body: `<iframe title="Inner" src="/note"></iframe>` },
  });
});

afterAll(() => site.close());

afterEach(() => browser.close());

async function open(
  options: Partial<Parameters<typeof openExtensionBrowser>[0]> = {},
): Promise<void> {
  const serverUrl = inject('extensionServerUrl');
  browser = await openExtensionBrowser({ serverUrl, ...options });
  await browser.page.goto(`${site.url}/note`);
}

/** Begins by the mouse, and speaks. */
async function speak(page: Page = browser.page, seconds = SPOKEN_SECONDS): Promise<Tools> {
  const tools = await toolsIn(browser.context, page);
  await page.getByRole('textbox', { name: 'Note' }).click();
  await tools.press('.tool-dictate');
  await tools.untilRecorded(seconds);
  return tools;
}

async function end(tools: Tools): Promise<void> {
  await tools.press('.recording-bar .is-stop');
  await tools.untilOver();
}

const note = (page: Page = browser.page) => page.getByRole('textbox', { name: 'Note' });

function expectWords(text: string): void {
  expect(wordErrorRate(WORDS, text), text).toBeLessThanOrEqual(ESPEAK_MAX_ERRORS);
}

/** The words stand in the popup's list. */
async function expectInList(): Promise<void> {
  const popup = await browser.openOwn('popup');
  const words = popup.locator('.dictations .dictation-words').first();
  await words.waitFor({ timeout: 40_000 });
  await expect.poll(() => words.innerText(), { timeout: 40_000 }).toMatch(/\w+ \w+ \w+/);
}

test('the page is left in mid-sentence: the text waits in the list', async () => {
  await open();
  await speak();
  await browser.page.goto(`${site.url}/elsewhere`);
  await expectInList();
  expect(await badge()).toBe('');
});

async function badge(): Promise<string> {
  const popup = await browser.openOwn('options');
  const text = await popup.evaluate(() =>
    (chrome.action as unknown as { getBadgeText(of: object): Promise<string> }).getBadgeText({}),
  );
  await popup.close();
  return text;
}

test('the frame is removed in mid-sentence: the same', async () => {
  await open();
  const { page } = browser;
  await page.goto(`${site.url}/framed`);
  const tools = await toolsIn(browser.context, page);
  await page.frameLocator('iframe').getByRole('textbox', { name: 'Note' }).click();
  await tools.press('.tool-dictate');
  await tools.untilRecorded(SPOKEN_SECONDS);
  expect(await badge()).not.toBe('');
  await page.evaluate(() => document.querySelector('iframe')?.remove());
  await expectInList();
});

test('the field is removed by its page, which stays: the same', async () => {
  await open();
  await speak();
  await browser.page.evaluate(() => {
    history.pushState(null, '', '/other');
    document.querySelector('textarea')?.remove();
  });
  await expectInList();
});

test('the service worker is ended in mid-sentence: nobody notices', async () => {
  await open();
  const tools = await speak(browser.page, 2);
  await browser.endBackground();
  await browser.page.bringToFront();
  await tools.untilRecorded(SPOKEN_SECONDS);
  await end(tools);
  expectWords(await note().inputValue());
});

test('the service worker was ended before it could tell a new offscreen document its settings', async () => {
  await open();
  const worker = await browser.background();
  await worker.evaluate(() =>
    chrome.offscreen.createDocument({
      url: 'offscreen.html',
      reasons: ['USER_MEDIA'],
      justification: 'As the service worker does it',
    }),
  );
  const tools = await speak();
  await end(tools);
  expectWords(await note().inputValue());
});

test('an address that is none: one dictates, and the words wait in the list', async () => {
  await open({ serverUrl: 'no address' });
  const tools = await speak();
  await tools.press('.recording-bar .is-stop');
  const popup = await browser.openOwn('popup');
  await popup.locator('.dictations .waiting li').first().waitFor({ timeout: 60_000 });
});

test('the offscreen document is closed in mid-sentence: what was said comes to its place', async () => {
  await open();
  const tools = await speak();
  const worker = await browser.background();
  await worker.evaluate(() => chrome.offscreen.closeDocument());
  await expect.poll(() => note().inputValue(), { timeout: 40_000 }).not.toBe('');
  expectWords(await note().inputValue());
  // And one can go on.
  await tools.press('.tool-dictate');
  await tools.untilRecorded(1);
  await end(tools);
});

test('the extension goes in mid-sentence: its tools go, and the next one has the text', async () => {
  await open();
  const tools = await speak();
  const { profile } = browser;
  const worker = await browser.background();
  // Chromium does not load it again where it was loaded by the command line.
  await worker
    .evaluate(() => (chrome.runtime as unknown as { reload(): void }).reload())
    .catch(() => {});
  await until(async () => (await tools.count()) === 0);
  await browser.kill();
  await open({ profile });
  await expectInList();
});

test('the browser is killed in mid-sentence: the next one has the text in the list', async () => {
  await open();
  await speak();
  const { profile } = browser;
  await browser.kill();
  await open({ profile });
  await expectInList();
});

test('there is no server: the words wait, and go in when there is one', async () => {
  const port = await freePort();
  await open({ serverUrl: `http://127.0.0.1:${port}` });
  const tools = await speak();
  await tools.press('.recording-bar .is-stop');
  const popup = await browser.openOwn('popup');
  await popup.locator('.dictations .waiting li').first().waitFor({ timeout: 60_000 });
  expect(await note().inputValue()).toBe('');
  await popup.close();
  const server = await startServer(port, { EXTENSION_IDS: EXTENSION_ID });
  try {
    await browser.page.bringToFront();
    await expect.poll(() => note().inputValue(), { timeout: 90_000 }).not.toBe('');
    expectWords(await note().inputValue());
  } finally {
    await server.stop();
  }
});

test('the microphone is refused: it is said, and the page that asks for it opens', async () => {
  await open({ refusesMicrophone: true });
  const { page, context } = browser;
  const tools = await toolsIn(context, page);
  await note().click();
  await tools.press('.tool-dictate');
  await expect.poll(() => tools.markup('[data-notice="microphone-denied"]')).not.toBeNull();
  const asks = () => context.pages().some((each) => each.url().endsWith('options.html#microphone'));
  const isOpen = () => context.pages().some((each) => each.url().includes('options.html'));
  await until(() => asks() || isOpen());
});

test('two tabs: one speaks, the other is told that one does and nothing of what is said', async () => {
  await open({ wavPath: resolve('tests/fixtures/dictation-one.wav') });
  const other = await browser.context.newPage();
  await other.goto(`${site.otherUrl}/note`);
  await browser.page.bringToFront();
  const tools = await speak(browser.page, 3);
  await other.bringToFront();
  const otherTools = await toolsIn(browser.context, other);
  await note(other).click();
  await otherTools.press('.tool-dictate');
  await expect.poll(() => otherTools.markup('[data-notice="already-recording"]')).not.toBeNull();
  await browser.page.bringToFront();
  await tools.untilRecorded(SPOKEN_SECONDS);
  await end(tools);
  expectWords(await note().inputValue());
  expect(await note(other).inputValue()).toBe('');
  expect(await otherTools.markup('.waiting-button')).toBeNull();
  expect(await otherTools.markup('[aria-label="Dictations"]')).toBeNull();
});
