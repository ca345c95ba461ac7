import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { SPOKEN_WORDS } from '../helpers/spoken-words.ts';
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
