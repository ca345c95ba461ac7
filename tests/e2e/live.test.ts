import type { Page } from 'playwright';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { wordErrorRate } from '../helpers/word-error-rate.ts';
import { buildLivePage, LIVE_PAGE_FOLDER } from './helpers/live-page.ts';
import { type RunningServer, startServer } from './helpers/server.ts';
import { openSpeakingBrowser, type SpeakingBrowser } from './helpers/speaking-browser.ts';
import { TWO_SENTENCES, writeTwoSentences } from './helpers/two-sentences.ts';
import type { LiveBench } from './live/page.ts';

const MAX_ERRORS = 0.2;

let voice: string;
let server: RunningServer;
let browser: SpeakingBrowser | undefined;

beforeAll(async () => {
  voice = writeTwoSentences();
  await buildLivePage();
  server = await startServer(undefined, { WEB_ROOT: LIVE_PAGE_FOLDER });
});
afterAll(() => server.stop());
afterEach(() => browser?.close());

async function open(): Promise<Page> {
  browser = await openSpeakingBrowser({ wavPath: voice, url: server.url });
  return browser.page;
}

type Window = { readonly bench: LiveBench };

const seenOf = (page: Page) => page.evaluate(() => (globalThis as unknown as Window).bench.seen());

/** Waits until the page has so many final words, counted by spaces. */
async function untilFinal(page: Page, words: number): Promise<void> {
  await page.waitForFunction(
    (wanted) => {
      const { live } = (globalThis as unknown as Window).bench.session();
      return (live?.finalText.split(' ').length ?? 0) >= wanted;
    },
    words,
    { timeout: 60_000 },
  );
}

test('with live on, words are seen before their pause and final before the stop', async () => {
  const page = await open();
  await page.evaluate(() => (globalThis as unknown as Window).bench.start({ live: true }));
  await untilFinal(page, 17);
  const seen = await seenOf(page);
  expect(seen.some(({ finalText, tentative }) => finalText === '' && tentative !== '')).toBe(true);
  expect(seen.some(({ finalText, firm }) => finalText === '' && firm !== '')).toBe(true);
  const result = await page.evaluate(() => (globalThis as unknown as Window).bench.stop());
  expect(wordErrorRate(TWO_SENTENCES, result.text), result.text).toBeLessThanOrEqual(MAX_ERRORS);
  expect(result.text).not.toContain('\n');
  expect(seen.at(-1)?.finalText).toBe(result.text);
  expect(browser?.errors).toEqual([]);

  // What was firm stays a beginning of what is firm, until its piece is final.
  for (const [index, { finalText, firm }] of seen.entries()) {
    const before = seen[index - 1];
    if (before?.finalText === finalText) expect(firm.startsWith(before.firm), firm).toBe(true);
  }
});

test('inserted at each pause, every word goes in once, and the stop gives the rest', async () => {
  const page = await open();
  await page.evaluate(() =>
    (globalThis as unknown as Window).bench.start({ live: true, insert: 'at-pause' }),
  );
  await untilFinal(page, 10);
  await page.waitForFunction(() => (globalThis as unknown as Window).bench.pieces().length > 0);
  // In the middle of the second sentence.
  await page.waitForFunction(() => {
    const { bench } = globalThis as unknown as Window;
    const { live } = bench.session();
    return `${live?.firm} ${live?.tentative}`.includes('day');
  });
  const result = await page.evaluate(() => (globalThis as unknown as Window).bench.stop());
  const pieces = await page.evaluate(() => (globalThis as unknown as Window).bench.pieces());
  const text = [...pieces, result.text].join(' ');
  expect(wordErrorRate(TWO_SENTENCES, text), text).toBeLessThanOrEqual(MAX_ERRORS);
  await expect
    .poll(() => page.evaluate(() => (globalThis as unknown as Window).bench.waiting()))
    .toBe(0);
});
