import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SPOKEN_WORDS } from '../helpers/spoken-words.ts';
import { wordErrorRate } from '../helpers/word-error-rate.ts';
import { dictationPage } from './helpers/dictation-page.ts';
import { type RunningServer, startServer } from './helpers/server.ts';
import { openSpeakingBrowser } from './helpers/speaking-browser.ts';

const CLIP_S = 6;

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test('a dictation is played, copied, deleted, had back and written down again', async () => {
  const wavPath = resolve('tests/fixtures/dictation-one.wav');
  const browser = await openSpeakingBrowser({ wavPath, url: server.url });
  const { page, context } = browser;
  await context.grantPermissions(['microphone', 'clipboard-read', 'clipboard-write']);
  const dictation = dictationPage(page);
  const notice = page.getByRole('complementary', { name: 'Sparat' });
  await notice.getByRole('button', { name: 'Okej' }).click();
  await dictation.field.click();
  await dictation.startDictating();
  await dictation.recordUntil(CLIP_S);
  await dictation.stopDictating();
  const text = (await dictation.text()).trim();
  expect(wordErrorRate(SPOKEN_WORDS['dictation-one'], text), text).toBeLessThanOrEqual(0.2);

  await page.locator('#dictations summary').click();
  const row = page.locator('li[data-dictation]');
  await row.and(page.locator('[data-state="delivered"]')).waitFor();
  const words = (await row.locator('.dictation-words').innerText()).replace(/…$/, '');
  expect(words).not.toBe('');
  expect(text.slice(0, words.length)).toBe(words);
  expect(await row.locator('time').innerText()).toMatch(/^i (dag|går) \d\d:\d\d$/);

  const play = row.getByRole('button', { name: /^Spela upp, i / });
  await play.click();
  await row.getByRole('slider').waitFor();
  const at = () => row.getByRole('slider').inputValue().then(Number);
  await expect.poll(at).toBeGreaterThan(0.5);
  await play.click();
  await row.getByRole('slider').press('Home');
  await expect.poll(at).toBe(0);
  await row.getByRole('slider').press('End');
  await expect.poll(at).toBeGreaterThan(CLIP_S - 1);

  await row.getByRole('button', { name: /^Kopiera, / }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(text);

  await row.getByRole('button', { name: /^Visa mer, / }).click();
  await dictation.picture('recent');
  await row.getByRole('button', { name: /^Ta bort, / }).click();
  const undo = page.getByRole('button', { name: /^Ångra, / });
  await undo.waitFor();
  await row.waitFor({ state: 'detached' });
  // It has the focus.
  await page.keyboard.press('Enter');
  await row.waitFor();
  await undo.waitFor({ state: 'detached' });

  await row.getByRole('button', { name: /^Visa mer, / }).click();
  await row.getByRole('button', { name: /^Gör om till text, / }).click();
  const texts = row.getByLabel('Version');
  await texts.waitFor({ timeout: 60_000 });
  expect(await texts.locator('option').count()).toBe(2);
  const again = await row.locator('.dictation-text').innerText();
  expect(wordErrorRate(SPOKEN_WORDS['dictation-one'], again), again).toBeLessThanOrEqual(0.2);
  // It goes nowhere by itself, and waits for nobody.
  expect((await dictation.text()).trim()).toBe(text);
  expect(await page.locator('.waiting-badge, .waiting li').count()).toBe(0);
  expect(browser.errors).toEqual([]);
  await browser.close();
});
