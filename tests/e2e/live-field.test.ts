import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { wordErrorRate } from '../helpers/word-error-rate.ts';
import { type DictationPage, dictationPage } from './helpers/dictation-page.ts';
import { type RunningServer, startServer } from './helpers/server.ts';
import { openSpeakingBrowser } from './helpers/speaking-browser.ts';
import { TWO_SENTENCES, writeTwoSentences } from './helpers/two-sentences.ts';

const MAX_ERRORS = 0.2;
const FIRST_WORDS = 8;

let server: RunningServer;
let voice: string;
beforeAll(async () => {
  voice = writeTwoSentences();
  server = await startServer();
});
afterAll(() => server.stop());

/** The page as somebody has it who has chosen so in the options. */
async function open(options: readonly string[]): Promise<[Page, DictationPage]> {
  const { page } = await openSpeakingBrowser({ wavPath: voice, url: server.url });
  await page.getByRole('button', { name: 'Alternativ' }).click();
  for (const name of options) await page.getByRole('checkbox', { name }).check();
  await page.keyboard.press('Escape');
  const dictation = dictationPage(page);
  await dictation.field.click();
  return [page, dictation];
}

const wordsIn = (text: string) => text.split(/\s+/).filter((word) => word !== '').length;

test('the words are seen in the text while they are spoken, and go in at the stop', async () => {
  const [page, dictation] = await open(['Visa orden medan jag talar']);
  await dictation.startDictating();
  const seen = page.locator('.note-words');
  const height = () => dictation.field.evaluate((field) => field.getBoundingClientRect().height);
  const heightPx = await height();
  await expect
    .poll(async () => wordsIn(await seen.innerText()), { timeout: 60_000 })
    .toBeGreaterThan(wordsIn(TWO_SENTENCES) - 4);
  await dictation.picture('live-words');
  expect(await height()).toBe(heightPx);
  expect(await seen.getAttribute('data-is-beside')).toBeNull();
  expect(await dictation.text()).toBe('');
  await dictation.stopDictating();
  const text = await dictation.text();
  expect(wordErrorRate(TWO_SENTENCES, text), text).toBeLessThanOrEqual(MAX_ERRORS);
  await expect.poll(() => seen.count()).toBe(0);
});

test('the text goes in at each pause, and one press takes the dictation back', async () => {
  const [page, dictation] = await open([
    'Visa orden medan jag talar',
    'Infoga texten vid varje paus',
  ]);
  await page.keyboard.type('Innan');
  await dictation.startDictating();
  await expect
    .poll(async () => wordsIn(await dictation.text()), { timeout: 60_000 })
    .toBeGreaterThan(FIRST_WORDS);
  await dictation.picture('live-pieces');
  await dictation.recordUntil(16);
  await dictation.stopDictating();
  const text = await dictation.text();
  expect(text.startsWith('Innan ')).toBe(true);
  expect(wordErrorRate(TWO_SENTENCES, text.slice(5)), text).toBeLessThanOrEqual(MAX_ERRORS);
  expect(await page.locator('.waiting li').count()).toBe(0);

  // The press on the microphone has put the toolbar away.
  await dictation.field.click();
  await page.getByRole('button', { name: 'Ångra dikteringen' }).click();
  await expect.poll(() => dictation.text()).toBe('Innan');
  expect(await page.getByRole('button', { name: 'Ångra dikteringen' }).count()).toBe(0);
});
