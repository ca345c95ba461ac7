import type { Frame, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
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

const SCRIPT = { 'permissions-policy': 'microphone=()' } as const;
const EDITABLE =
  '<div role="textbox" aria-label="Note" contenteditable style="min-height:4em"></div>';

/** Takes every key and every focus for itself, before anybody else in the page. */
const TAKES_KEYS = `<script>
  for (const type of ['keydown', 'keyup', 'keypress', 'focusin', 'focus', 'pointerdown'])
    addEventListener(type, (event) => event.stopImmediatePropagation(), true);
</script>`;

/** Presses the key itself, in a field that it has given the focus. */
const SPIES = `<script>
  const field = document.querySelector('textarea');
  setInterval(() => field.focus(), 100);
  setTimeout(() => {
    for (const type of ['keydown', 'keyup'])
      field.dispatchEvent(new KeyboardEvent(type, { key: 'F9', bubbles: true, composed: true }));
    document.body.dataset.isPressed = 'true';
  }, 1_500);
</script>`;

/** Throws out what it did not make. */
const THROWS_OUT = `<script>
  new MutationObserver(() => {
    for (const each of document.querySelectorAll('diktera-tools')) each.remove();
  }).observe(document, { childList: true, subtree: true });
</script>`;

const PAGES = {
  '/editable': { body: EDITABLE, headers: STRICT_HEADERS },
  '/inner': { body: '<textarea aria-label="Note"></textarea>', headers: STRICT_HEADERS },
  '/keys': { body: `${TAKES_KEYS}<textarea aria-label="Note"></textarea>`, headers: SCRIPT },
  '/dialog': {
    body: `<dialog><textarea aria-label="Note"></textarea></dialog>
      <script>document.querySelector('dialog').showModal()</script>`,
    headers: SCRIPT,
  },
  '/trusted-types': {
    body: '<textarea aria-label="Note"></textarea>',
    headers: {
      'content-security-policy': "require-trusted-types-for 'script'; trusted-types 'none'",
    },
  },
  '/blank': {
    body: `<iframe title="Editor"></iframe><script>
      const { body } = document.querySelector('iframe').contentDocument;
      body.innerHTML = '<p><br></p>';
      body.contentEditable = 'true';
      body.role = 'textbox';
      body.ariaLabel = 'Note';
    </script>`,
    headers: SCRIPT,
  },
  '/design': {
    body: `<iframe title="Editor"></iframe><script>
      const { contentDocument } = document.querySelector('iframe');
      contentDocument.designMode = 'on';
      contentDocument.body.role = 'textbox';
      contentDocument.body.ariaLabel = 'Note';
    </script>`,
    headers: SCRIPT,
  },
  '/opaque': {
    body: '<textarea aria-label="Note"></textarea>',
    headers: { 'content-security-policy': 'sandbox allow-scripts' },
  },
  '/sandboxed': {
    body: '<iframe sandbox="allow-scripts" srcdoc="<textarea aria-label=Note></textarea>"></iframe>',
    headers: SCRIPT,
  },
  '/shadow': {
    body: `<div></div><script>
      document.querySelector('div').attachShadow({ mode: 'open' }).innerHTML =
        '<textarea aria-label="Note"></textarea>';
    </script>`,
    headers: SCRIPT,
  },
  '/styles': {
    body: `<style>
        * { all: unset !important; color: red !important; }
        :not(html, body, textarea) { display: none !important; }
        textarea { display: block !important; border: 1px solid !important; }
      </style><textarea aria-label="Note"></textarea>`,
    headers: SCRIPT,
  },
  '/trap': {
    body: `<textarea aria-label="Note"></textarea><button>Outside</button><script>
      const field = document.querySelector('textarea');
      document.addEventListener('focusout', () => setTimeout(() => field.focus()));
    </script>`,
    headers: SCRIPT,
  },
  '/throws-out': { body: `${THROWS_OUT}<textarea aria-label="Note"></textarea>`, headers: SCRIPT },
  '/secret': {
    body: `<input type="password" aria-label="Password">
      <input autocomplete="cc-number" aria-label="Card">
      <input name="cvc" aria-label="Code">
      <input autocomplete="one-time-code" aria-label="Once">
      <input name="login_otp" aria-label="Sent">
      <input id="pin" aria-label="Pin">`,
    headers: SCRIPT,
  },
  '/spies': { body: `<textarea aria-label="Note"></textarea>${SPIES}`, headers: SCRIPT },
} as const;

let site: Awaited<ReturnType<typeof serveHostSite>>;
let browser: ExtensionBrowser;

beforeAll(async () => {
  site = await serveHostSite({
    ...PAGES,
    '/frames': {
      body: `<iframe title="Other"></iframe><script>
        document.querySelector('iframe').src =
          location.href.replace('127.0.0.1', 'localhost').replace('frames', 'inner');
      </script>`,
      headers: SCRIPT,
    },
  });
});

afterAll(() => site.close());

afterEach(() => browser.close());

async function open(path: string): Promise<Page> {
  browser = await openExtensionBrowser({ serverUrl: inject('extensionServerUrl') });
  await browser.page.goto(`${site.url}${path}`);
  return browser.page;
}

async function textOf(place: Page | Frame): Promise<string> {
  const field = place.getByRole('textbox', { name: 'Note' });
  return field.evaluate((each) =>
    'value' in each ? String(each.value) : (each as HTMLElement).innerText,
  );
}

/** Dictates by the mouse, into the field of a page or of a frame in it. */
async function dictate(place: Page | Frame): Promise<void> {
  // A frame of the same process is seen from the page.
  const tools = await toolsIn(browser.context, place).catch(() =>
    toolsIn(browser.context, browser.page),
  );
  expect(await tools.count()).toBe(0);
  await place.getByRole('textbox', { name: 'Note' }).click();
  await tools.press('.tool-dictate');
  await tools.untilRecorded(SPOKEN_SECONDS);
  await tools.press('.recording-bar .is-stop');
  await tools.untilOver();
}

function expectWords(text: string): void {
  expect(wordErrorRate(WORDS, text), text).toBeLessThanOrEqual(ESPEAK_MAX_ERRORS);
}

describe('the words stand in', () => {
  test.each([
    ['an editable element without scripts and styles', '/editable'],
    ['a dialog in the top layer', '/dialog'],
    ['a page that wants Trusted Types', '/trusted-types'],
    ['an open shadow tree', '/shadow'],
    ['a page whose styles hide all that is not its own', '/styles'],
    ['a page that has the focus back at once', '/trap'],
  ] as const)('%s', async (_, path) => {
    const page = await open(path);
    await dictate(page);
    expectWords(await textOf(page));
  });

  test.each([
    ['a frame of another origin', '/frames'],
    ['an empty frame that a script has made an editor of', '/blank'],
    ['a frame without an origin', '/sandboxed'],
    ['a frame in design mode', '/design'],
  ] as const)('%s', async (_, path) => {
    const page = await open(path);
    const frame = await until(() => page.frames().find((each) => each !== page.mainFrame()));
    await frame!.getByRole('textbox', { name: 'Note' }).waitFor();
    await dictate(frame!);
    expectWords(await textOf(frame!));
  });
});

test('a page that takes all keys: F9 talks, tapped', async () => {
  const page = await open('/keys');
  const tools = await toolsIn(browser.context, page);
  await page.getByRole('textbox', { name: 'Note' }).click();
  await page.keyboard.press('F9');
  await tools.untilRecorded(SPOKEN_SECONDS);
  await page.keyboard.press('F9');
  await tools.untilOver();
  expectWords(await textOf(page));
});

test('a page that throws the tools out: the key goes on, and the text comes', async () => {
  const page = await open('/throws-out');
  const popup = await browser.openOwn('popup');
  await page.bringToFront();
  await page.getByRole('textbox', { name: 'Note' }).click();
  await page.keyboard.press('F9');
  const time = popup.locator('.recording-time');
  const isSaid = async () =>
    Number((await time.getAttribute('datetime'))?.slice(2, -1)) >= SPOKEN_SECONDS;
  await until(isSaid, { timeout: 30_000 });
  await page.keyboard.press('F9');
  await expect.poll(() => textOf(page), { timeout: 30_000 }).not.toBe('');
  expectWords(await textOf(page));
});

test('a page that makes keys up records nothing', async () => {
  const page = await open('/spies');
  // It has been clicked in, as most pages are.
  await page.mouse.click(500, 600);
  const tools = await toolsIn(browser.context, page);
  await until(async () => (await tools.count()) === 1);
  // Long enough for a recording to have begun.
  await page.waitForFunction(() => document.body.dataset.isPressed === 'true');
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(await tools.markup('.recording-bar')).toBeNull();
});

test('passwords, cards and codes are left alone, by focus and by key', async () => {
  const page = await open('/secret');
  const tools = await toolsIn(browser.context, page);
  for (const name of ['Password', 'Card', 'Code', 'Once', 'Sent', 'Pin']) {
    await page.getByLabel(name).click();
    await page.keyboard.press('F9');
  }
  const popup = await browser.openOwn('popup');
  await popup.getByRole('button', { name: 'Dictate' }).waitFor();
  expect(await popup.locator('.recording-bar').count()).toBe(0);
  expect(await tools.count()).toBe(0);
});

test('a site with the key only has nothing in its page before the key, and one with never after', async () => {
  // A page without an origin is of its site all the same.
  const page = await open('/opaque');
  const host = new URL(site.url).host;
  const popup = await browser.openOwn('popup');
  const choose = (mode: string) =>
    popup.evaluate(
      async (sites) => {
        const { settings } = await chrome.storage.local.get('settings');
        await chrome.storage.local.set({ settings: { ...(settings as object), sites } });
      },
      { [host]: mode },
    );
  const tools = await toolsIn(browser.context, page);
  const field = page.getByRole('textbox', { name: 'Note' });
  await choose('key');
  await page.bringToFront();
  await field.click();
  await page.keyboard.type('a');
  expect(await tools.count()).toBe(0);
  await page.keyboard.press('F9');
  await tools.untilRecorded(1);
  await page.keyboard.press('Escape');
  await tools.untilOver();
  await choose('never');
  await page.reload();
  const afterwards = await toolsIn(browser.context, page);
  await field.click();
  await page.keyboard.press('F9');
  await page.keyboard.type('b');
  await expect.poll(() => field.inputValue()).toBe('b');
  expect(await afterwards.count()).toBe(0);
});
