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

let site: Awaited<ReturnType<typeof serveHostSite>>;
let browser: ExtensionBrowser;

beforeAll(async () => {
  const body = '<textarea aria-label="Note"></textarea>';
  site = await serveHostSite({ '/note': { body, headers: STRICT_HEADERS }, '/other': { body } });
});

afterAll(() => site.close());

afterEach(() => browser.close());

test('by a press alone: no page is touched before, and the page in front from then on', async () => {
  browser = await openExtensionBrowser({
    serverUrl: inject('extensionServerUrl'),
    access: 'click',
  });
  const { page, context } = browser;
  await page.goto(`${site.url}/note`);
  const other = await context.newPage();
  await other.goto(`${site.url}/other`);
  await page.bringToFront();
  const tools = await toolsIn(context, page);
  const note = page.getByRole('textbox', { name: 'Note' });
  await note.click();
  await page.keyboard.press('F9');
  await page.keyboard.type('a');
  await expect.poll(() => note.inputValue()).toBe('a');
  expect(await tools.count()).toBe(0);

  await browser.pressAction(page);
  await expect.poll(() => tools.count()).toBe(1);
  await note.fill('');
  await page.keyboard.press('F9');
  await tools.untilRecorded(SPOKEN_SECONDS);
  await page.keyboard.press('F9');
  await tools.untilOver();
  const text = await note.inputValue();
  expect(wordErrorRate(WORDS, text), text).toBeLessThanOrEqual(ESPEAK_MAX_ERRORS);

  await other.bringToFront();
  const otherTools = await toolsIn(context, other);
  await other.getByRole('textbox', { name: 'Note' }).click();
  await other.keyboard.type('b');
  expect(await otherTools.count()).toBe(0);
});
