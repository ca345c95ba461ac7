import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { SPOKEN_WORDS } from '../helpers/spoken-words.ts';
import { until } from '../helpers/until.ts';
import { wordErrorRate } from '../helpers/word-error-rate.ts';
import {
  type ExtensionBrowser,
  openExtensionBrowser,
  toolsIn,
} from './helpers/extension-browser.ts';
import { STRICT_HEADERS, serveHostSite } from './helpers/host-site.ts';

const ESPEAK_MAX_ERRORS = 0.2;
const SPOKEN_SECONDS = 6;
const WORDS = SPOKEN_WORDS['dictation-one'];

const PAGES = {
  '/strict': { body: '<textarea aria-label="Note"></textarea>', headers: STRICT_HEADERS },
  '/two': { body: '<textarea aria-label="Outer"></textarea><iframe src="/strict"></iframe>' },
} as const;

let site: Awaited<ReturnType<typeof serveHostSite>>;
let browser: ExtensionBrowser | null = null;

beforeAll(async () => {
  site = await serveHostSite(PAGES);
});

afterAll(() => site.close());

afterEach(async () => {
  await browser?.close();
  browser = null;
});

test('a text area of a page that forbids scripts, styles, connections and the microphone', async () => {
  browser = await openExtensionBrowser({ serverUrl: inject('extensionServerUrl') });
  const { page, context } = browser;
  await page.goto(`${site.url}/strict`);
  const tools = await toolsIn(context, page);
  expect(await tools.count()).toBe(0);
  await page.getByRole('textbox').click();
  await tools.press('.tool-dictate');
  await tools.untilRecorded(SPOKEN_SECONDS);
  await tools.press('.is-stop');
  await tools.untilOver();
  const text = await page.getByRole('textbox').inputValue();
  expect(wordErrorRate(WORDS, text), text).toBeLessThanOrEqual(ESPEAK_MAX_ERRORS);
});

test('the mouse is held on the first microphone: it talks until it is let go', async () => {
  browser = await openExtensionBrowser({ serverUrl: inject('extensionServerUrl') });
  const { page, context } = browser;
  await page.goto(`${site.url}/strict`);
  const tools = await toolsIn(context, page);
  await page.getByRole('textbox').click();
  await until(async () => (await tools.count()) === 1);
  await tools.press('.tool-dictate', tools.untilRecorded(SPOKEN_SECONDS));
  await tools.untilOver();
  const text = await page.getByRole('textbox').inputValue();
  expect(wordErrorRate(WORDS, text), text).toBeLessThanOrEqual(ESPEAK_MAX_ERRORS);
});

test('the command begins and ends in the field that has the focus', async () => {
  browser = await openExtensionBrowser({ serverUrl: inject('extensionServerUrl') });
  const { page, context } = browser;
  await page.goto(`${site.url}/strict`);
  await page.bringToFront();
  await page.getByRole('textbox').focus();
  await browser.pressCommand();
  const tools = await toolsIn(context, page);
  await tools.untilRecorded(SPOKEN_SECONDS);
  await browser.pressCommand();
  await tools.untilOver();
  const text = await page.getByRole('textbox').inputValue();
  expect(wordErrorRate(WORDS, text), text).toBeLessThanOrEqual(ESPEAK_MAX_ERRORS);
});

test('without a field the text waits in the popup, and goes into the one field that had the focus last', async () => {
  browser = await openExtensionBrowser({ serverUrl: inject('extensionServerUrl') });
  const { page } = browser;
  await page.goto(`${site.url}/two`);
  await page.bringToFront();
  const outer = page.getByRole('textbox', { name: 'Outer' });
  const inner = page.frameLocator('iframe').getByRole('textbox', { name: 'Note' });
  await outer.click();
  await inner.click();
  const popup = await browser.openOwn('popup');
  await popup.getByRole('button', { name: 'Dictate' }).click();
  const time = popup.locator('.recording-time');
  const seconds = async () => Number((await time.getAttribute('datetime'))?.slice(2, -1));
  await expect.poll(seconds, { timeout: 30_000 }).toBeGreaterThanOrEqual(SPOKEN_SECONDS);
  await popup.getByRole('button', { name: 'Done' }).click();
  const words = popup.locator('.dictations .waiting .dictation-words');
  await expect.poll(() => words.innerText(), { timeout: 30_000 }).toMatch(/\w+ \w+ \w+/);
  const text = await words.innerText();
  expect(wordErrorRate(WORDS, text), text).toBeLessThanOrEqual(ESPEAK_MAX_ERRORS);
  // Here the popup is a tab, and asks the one in front as if it were above that.
  await page.bringToFront();
  await popup
    .getByRole('button', { name: 'Insert' })
    .evaluate((button) => (button as HTMLElement).click());
  await expect.poll(() => inner.inputValue()).not.toBe('');
  expect((await inner.inputValue()).trim()).toBe(text);
  expect(await outer.inputValue()).toBe('');
  await expect.poll(() => words.count()).toBe(0);
});
