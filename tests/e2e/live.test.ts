import type { Page, Request } from 'playwright';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { wordErrorRate } from '../helpers/word-error-rate.ts';
import { buildLivePage, LIVE_PAGE_FOLDER } from './helpers/live-page.ts';
import { type RunningServer, startServer } from './helpers/server.ts';
import { openSpeakingBrowser, type SpeakingBrowser } from './helpers/speaking-browser.ts';
import { TWO_SENTENCES, writeTwoSentences } from './helpers/two-sentences.ts';
import type { LiveBench } from './live/page.ts';

const MAX_ERRORS = 0.2;

let voice: string;
/** The same with a pause that ends any piece. */
let longPause: string;
let server: RunningServer;
/** One where each request costs. */
let billing: RunningServer | undefined;
let browser: SpeakingBrowser | undefined;

beforeAll(async () => {
  voice = writeTwoSentences();
  longPause = writeTwoSentences(3);
  await buildLivePage();
  server = await startServer(undefined, { WEB_ROOT: LIVE_PAGE_FOLDER });
});
afterAll(() => server.stop());
afterEach(async () => {
  await browser?.close();
  await billing?.stop();
  billing = undefined;
});

async function open({ url }: RunningServer = server, wavPath = voice): Promise<Page> {
  browser = await openSpeakingBrowser({ wavPath, url });
  return browser.page;
}

const isForText = (request: Request): boolean => request.url().endsWith('/api/asr/vad');
const isPreview = (request: Request): boolean =>
  isForText(request) && (request.postDataBuffer()?.includes('name="preview"') ?? false);

/** Waits until so much is recorded. */
async function untilRecorded(page: Page, ms: number): Promise<void> {
  await page.waitForFunction(
    (wanted) => (globalThis as unknown as Window).bench.session().accumulatedRecordingMs >= wanted,
    ms,
    { timeout: 60_000 },
  );
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

  // Firm words stay the beginning of later firm words, until their piece is final.
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

test('where pieces are free, pauses send them with live off too, and no words are shown', async () => {
  const page = await open(server, longPause);
  const asked: Request[] = [];
  page.on('request', (request) => isForText(request) && asked.push(request));
  await page.evaluate(() => (globalThis as unknown as Window).bench.start({ live: false }));
  await page.waitForFunction(
    () => (globalThis as unknown as Window).bench.session().transcriptions.size > 0,
    undefined,
    { timeout: 60_000 },
  );
  expect(await seenOf(page)).toEqual([]);
  expect(asked.filter(isPreview)).toEqual([]);
  await untilRecorded(page, 12_000);
  const { text } = await page.evaluate(() => (globalThis as unknown as Window).bench.stop());
  expect(wordErrorRate(TWO_SENTENCES, text), text).toBeLessThanOrEqual(MAX_ERRORS);
  expect(text).not.toContain('\n');
});

test('words are shown by themselves where that is free, and nothing is sent before the stop where it is not', async () => {
  const free = await open(server, longPause);
  await free.evaluate(() => (globalThis as unknown as Window).bench.start({}));
  await untilFinal(free, 5);
  expect((await seenOf(free)).some(({ tentative }) => tentative !== '')).toBe(true);
  await free.evaluate(() => (globalThis as unknown as Window).bench.stop());
  await browser?.close();

  billing = await startServer(undefined, { WEB_ROOT: LIVE_PAGE_FOLDER, FREE_PIECES: 'false' });
  const page = await open(billing, longPause);
  const asked: Request[] = [];
  page.on('request', (request) => isForText(request) && asked.push(request));
  await page.evaluate(() => (globalThis as unknown as Window).bench.start({}));
  await untilRecorded(page, 12_000);
  expect(asked).toEqual([]);
  const { text } = await page.evaluate(() => (globalThis as unknown as Window).bench.stop());
  expect(asked).toHaveLength(1);
  expect(await seenOf(page)).toEqual([]);
  expect(wordErrorRate(TWO_SENTENCES, text), text).toBeLessThanOrEqual(MAX_ERRORS);
});

test('a preview under way is given up at the stop, and none is asked for behind it', async () => {
  const page = await open();
  const previews: Request[] = [];
  const ended: Request[] = [];
  await page.route('**/api/asr/vad', async (route) => {
    if (isPreview(route.request())) previews.push(route.request());
    else await route.continue();
  });
  page.on('requestfailed', (request) => isPreview(request) && ended.push(request));
  await page.evaluate(() => (globalThis as unknown as Window).bench.start({}));
  await expect.poll(() => previews.length, { timeout: 30_000 }).toBe(1);
  const { text } = await page.evaluate(() => (globalThis as unknown as Window).bench.stop());
  expect(ended).toEqual(previews);
  expect(previews).toHaveLength(1);
  expect(text).not.toBe('');
});
