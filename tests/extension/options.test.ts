import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type RunningServer, startServer } from '../e2e/helpers/server.ts';
import { SPOKEN_WORDS } from '../helpers/spoken-words.ts';
import { wordErrorRate } from '../helpers/word-error-rate.ts';
import {
  canSetPolicy,
  type ExtensionBrowser,
  openExtensionBrowser,
  toolsIn,
} from './helpers/extension-browser.ts';
import { serveHostSite } from './helpers/host-site.ts';

const ESPEAK_MAX_ERRORS = 0.2;
const SPOKEN_SECONDS = 6;
const WORDS = SPOKEN_WORDS['dictation-one'];

let folder: string;
let server: RunningServer;
let site: Awaited<ReturnType<typeof serveHostSite>>;
let browser: ExtensionBrowser;

/** A server that knows no extension by its own settings. */
const start = (port?: number) =>
  startServer(port, { EXTENSION_IDS: '', PAIRING_FILE: join(folder, 'paired.json') });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'diktera-options-'));
  site = await serveHostSite({ '/note': { body: '<textarea aria-label="Note"></textarea>' } });
  server = await start();
});

afterAll(async () => {
  await Promise.all([server.stop(), site.close()]);
  rmSync(folder, { recursive: true, force: true });
});

afterEach(() => browser.close());

test('a server on this machine is paired by the six digits that its page shows, for good', async () => {
  browser = await openExtensionBrowser({ serverUrl: server.url });
  const { context, page } = browser;
  const options = await browser.openOwn('options');
  const opened = context.waitForEvent('page');
  await options.getByRole('link', { name: 'Open the server’s page' }).click();
  const own = await opened;
  await own.getByRole('button', { name: 'Show a code' }).click();
  const shown = (await own.locator('.code').innerText()).trim();
  expect(shown).toMatch(/^\d{3} \d{3}$/);

  const code = options.getByRole('textbox', { name: 'Code' });
  const wrong = String((Number(shown.replace(' ', '')) + 1) % 1_000_000).padStart(6, '0');
  await code.fill(wrong);
  await options.getByRole('button', { name: 'Pair', exact: true }).click();
  await options.getByText('You can try 4 times more').waitFor();
  await code.fill(shown);
  await options.getByRole('button', { name: 'Pair', exact: true }).click();
  await options.getByText('The server answers, and writes').waitFor();
  expect(await code.count()).toBe(0);

  await server.stop();
  server = await start(server.port);
  await page.goto(`${site.url}/note`);
  await page.bringToFront();
  const tools = await toolsIn(context, page);
  const note = page.getByRole('textbox', { name: 'Note' });
  await note.click();
  await tools.press('.tool-dictate');
  await tools.untilRecorded(SPOKEN_SECONDS);
  await tools.press('.recording-bar .is-stop');
  await tools.untilOver();
  const text = await note.inputValue();
  expect(wordErrorRate(WORDS, text), text).toBeLessThanOrEqual(ESPEAK_MAX_ERRORS);
});

test('own words are kept that were typed right before the page was closed', async () => {
  browser = await openExtensionBrowser({ serverUrl: server.url });
  const options = await browser.openOwn('options');
  await options.getByRole('textbox', { name: 'Your own words' }).pressSequentially('Zopiklon');
  const worker = await browser.background();
  const stored = () =>
    worker.evaluate(async () => {
      const { settings } = await chrome.storage.local.get('settings');
      return (settings as { readonly words?: string }).words;
    });
  await expect.poll(stored).toBe('Zopiklon');
  await options.close();
});

test.skipIf(!canSetPolicy())(
  'what an organisation has set holds, and cannot be changed',
  async () => {
    browser = await openExtensionBrowser({
      // The person's own choice, which does not count.
      serverUrl: 'http://127.0.0.1:9',
      settings: { everywhere: 'always', keepRecordings: 24 },
      policy: { serverUrl: server.url, everywhere: 'key', keepRecordings: 1, pushToTalkKey: 'F8' },
    });
    const { context, page } = browser;
    const options = await browser.openOwn('options');
    await options.getByText(server.url).waitFor();
    expect(await options.getByText('Set by your organisation.').count()).toBe(4);
    expect(await options.getByRole('textbox', { name: 'Address' }).count()).toBe(0);
    await page.goto(`${site.url}/note`);
    await page.bringToFront();
    const tools = await toolsIn(context, page);
    await page.getByRole('textbox', { name: 'Note' }).click();
    await page.keyboard.type('a');
    expect(await tools.count()).toBe(0);
    await page.keyboard.press('F8');
    await tools.untilRecorded(1);
  },
);
