import { resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { SPOKEN_WORDS } from '../helpers/spoken-words.ts';
import { wordErrorRate } from '../helpers/word-error-rate.ts';
import { changeFile } from './helpers/change-file.ts';
import { dictateIntoNote, untilRecorded } from './helpers/dictation-page.ts';
import { buildEmbedPage } from './helpers/embed-page.ts';
import { type RunningServer, startServer } from './helpers/server.ts';
import { openSpeakingBrowser, type SpeakingBrowser } from './helpers/speaking-browser.ts';

let server: RunningServer;
let browser: SpeakingBrowser;

beforeAll(async () => {
  const folder = await buildEmbedPage('embed-page');
  server = await startServer(undefined, { WEB_ROOT: folder });
});
afterAll(() => server.stop());
afterEach(() => browser.close());

describe('a page of somebody else with one line of ours', () => {
  test.each(['index.html', 'framed.html'])(
    '%s: press, speak, press: the words are there',
    async (name) => {
      browser = await openSpeakingBrowser({
        wavPath: resolve('tests/fixtures/dictation-two.wav'),
        url: 'about:blank',
      });
      const { page } = browser;
      // This server's own pages have no frames; somebody else's may.
      await changeFile(page, /framed\.html$/, async (route) => {
        const response = await route.fetch();
        const { 'content-security-policy': _, ...headers } = response.headers();
        await route.fulfill({ response, headers });
      });
      await page.goto(`${server.url}/${name}`);
      const inner = page.frames().at(-1)!;
      const text = await dictateIntoNote(inner, () => untilRecorded(inner, 5));
      expect(text).toMatch(/^\S/);
      expect(wordErrorRate(SPOKEN_WORDS['dictation-two'], text), text).toBeLessThanOrEqual(0.2);
      const bar = inner.getByRole('toolbar', { name: 'Diktering' });
      expect(await bar.evaluate((each) => getComputedStyle(each).letterSpacing)).toBe('normal');
      expect(browser.errors).toEqual([]);
    },
  );
});

test('in a frame of another page that lets no microphone through: that page is named', async () => {
  browser = await openSpeakingBrowser({
    wavPath: resolve('tests/fixtures/dictation-two.wav'),
    url: 'about:blank',
  });
  const { page } = browser;
  await changeFile(page, /index\.html$/, async (route) => {
    const response = await route.fetch();
    const { 'content-security-policy': _, ...headers } = response.headers();
    await route.fulfill({ response, headers });
  });
  const address = 'http://localhost:9/somebody';
  const body = `<iframe src="${server.url}/index.html" width="700" height="600"></iframe>`;
  await page.route(address, (route) => route.fulfill({ contentType: 'text/html', body }));
  await page.goto(address);
  const inner = page.frames().at(-1)!;
  await inner.getByRole('textbox', { name: 'Anteckning' }).click();
  await inner.getByRole('button', { name: 'Diktera', exact: true }).click();
  await inner.getByText('Sidan som visar Diktera måste tillåta mikrofonen').first().waitFor();
  await inner.getByText('allow="microphone"').first().waitFor();
});
