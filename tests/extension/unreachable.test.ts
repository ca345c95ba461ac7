import type { Page } from 'playwright';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { SPOKEN_WORDS } from '../helpers/spoken-words.ts';
import { wordErrorRate } from '../helpers/word-error-rate.ts';
import {
  type ExtensionBrowser,
  openExtensionBrowser,
  type Tools,
  toolsIn,
} from './helpers/extension-browser.ts';
import { STRICT_HEADERS, serveHostSite } from './helpers/host-site.ts';

const ESPEAK_MAX_ERRORS = 0.2;
const SPOKEN_SECONDS = 6;
const WORDS = SPOKEN_WORDS['dictation-one'];

/**
 * As Google Docs: the text is drawn, and the keys go to an editable element in a frame that nobody
 * sees, which is emptied after each.
 */
const DRAWN = `<canvas width="600" height="300" style="border: 1px solid"></canvas>
  <iframe title="Keys" style="position: absolute; width: 1px; height: 1px; opacity: 0; border: 0"></iframe>
  <script>
    const { body } = document.querySelector('iframe').contentDocument;
    body.contentEditable = 'true';
    window.typed = '';
    body.addEventListener('input', () => {
      window.typed += body.innerText;
      body.textContent = '';
    });
    document.querySelector('canvas').addEventListener('mousedown', (event) => {
      event.preventDefault();
      document.querySelector('iframe').contentWindow.focus();
      body.focus();
    });
  </script>`;

/** Keys go to an element with an EditContext, as Monaco has it, and nothing else does. */
const EDIT_CONTEXT = `<div tabindex="0" id="editor" style="height: 300px; border: 1px solid"></div>
  <script>document.getElementById('editor').editContext = new EditContext()</script>`;

let site: Awaited<ReturnType<typeof serveHostSite>>;
let browser: ExtensionBrowser;

beforeAll(async () => {
  site = await serveHostSite({
    '/drawn': { body: DRAWN },
    '/edit-context': { body: EDIT_CONTEXT },
    '/nothing': { body: '<p>Words to read</p>', headers: STRICT_HEADERS },
  });
});

afterAll(() => site.close());

afterEach(() => browser.close());

async function open(path: string): Promise<{ readonly page: Page; readonly tools: Tools }> {
  browser = await openExtensionBrowser({ serverUrl: inject('extensionServerUrl') });
  const { page, context } = browser;
  await page.goto(`${site.url}${path}`);
  await page.bringToFront();
  return { page, tools: await toolsIn(context, page) };
}

/** The panel offers the words, and pressing its button copies them. */
async function expectCopied(page: Page, tools: Tools): Promise<void> {
  await expect.poll(() => tools.markup('textarea'), { timeout: 40_000 }).not.toBeNull();
  await tools.press('.copy-panel-item button');
  await expect.poll(() => tools.markup('.copy-panel [role=status]')).toContain('Copied');
  await page.evaluate(() => {
    document.body.innerHTML = '<textarea aria-label="Pasted"></textarea>';
  });
  const pasted = page.getByRole('textbox', { name: 'Pasted' });
  await pasted.focus();
  await page.keyboard.press('Control+v');
  const text = await pasted.inputValue();
  expect(wordErrorRate(WORDS, text), text).toBeLessThanOrEqual(ESPEAK_MAX_ERRORS);
}

test('a page that draws its text, with its keys in a hidden frame: it is said, and the text is offered for copying', async () => {
  const { page, tools } = await open('/drawn');
  await page.locator('canvas').click();
  await page.keyboard.press('F9');
  await tools.untilRecorded(SPOKEN_SECONDS);
  expect(await tools.markup('.copy-panel [role=status]')).toContain('draws its text itself');
  await page.keyboard.press('F9');
  expect(await page.evaluate(() => (window as { typed?: string }).typed ?? '')).toBe('');
  await expectCopied(page, tools);
});

test('an EditContext whose editor takes no paste: the text waits in the list', async () => {
  const { page, tools } = await open('/edit-context');
  await page.locator('#editor').click();
  await page.keyboard.press('F9');
  await tools.untilRecorded(SPOKEN_SECONDS);
  await page.keyboard.press('F9');
  await expect.poll(() => tools.markup('[data-notice="text-not-inserted"]')).not.toBeNull();
  await expectInList();
});

test('the command in a page without a field: the same', async () => {
  const { page, tools } = await open('/nothing');
  await browser.pressCommand();
  await tools.untilRecorded(SPOKEN_SECONDS);
  expect(await tools.markup('.copy-panel [role=status]')).toContain('in no text field');
  await browser.pressCommand();
  await expectCopied(page, tools);
});

test('a panel that is closed: the text waits in the list', async () => {
  const { page, tools } = await open('/nothing');
  await browser.pressCommand();
  await tools.untilRecorded(SPOKEN_SECONDS);
  await tools.press('.copy-panel .is-quiet');
  await expect.poll(() => tools.count()).toBe(0);
  await page.bringToFront();
  await browser.pressCommand();
  await expectInList();
});

async function expectInList(): Promise<void> {
  const popup = await browser.openOwn('popup');
  const words = popup.locator('.dictations .waiting .dictation-words');
  await expect.poll(() => words.innerText(), { timeout: 40_000 }).toMatch(/\w+ \w+ \w+/);
}
