import { afterEach, expect, inject, test } from 'vitest';
import { dictationPage } from './helpers/dictation-page.ts';
import { openSpeakingBrowser, type SpeakingBrowser } from './helpers/speaking-browser.ts';

let browser: SpeakingBrowser | null = null;

afterEach(async () => {
  await browser?.close();
  browser = null;
});

test("a person's own words, spoken commands and no fillers are in the text", async () => {
  const wavPath = 'tests/fixtures/dictation-one.wav';
  browser = await openSpeakingBrowser({ wavPath, url: 'about:blank' });
  const { page, errors } = browser;
  let heard = 'Um, call Sjökvist now. New line. Thanks.';
  await page.route('**/api/asr/vad', async (route) => {
    const transcription = heard;
    // Later requests get an empty text, so that the words come once.
    if (!(route.request().postData() ?? '').includes('preview')) heard = '';
    await route.fulfill({ json: { transcription, textRules: {} } });
  });
  await page.goto(inject('serverUrl'));
  const dictation = dictationPage(page);
  await page.getByText('Alternativ', { exact: true }).first().click();
  await page.getByText('Mina ord och kommandon', { exact: true }).click();
  await page.getByLabel('Ord eller namn', { exact: true }).fill('Sjöqvist');
  await page.getByRole('button', { name: 'Lägg till', exact: true }).first().click();
  await page.getByText('Sjöqvist finns nu i dina ord.').waitFor();
  await page.reload();
  await dictation.field.click();
  await dictation.startDictating();
  await dictation.recordUntil(6);
  await dictation.stopDictating();
  await expect
    .poll(() => dictation.text(), { timeout: 20_000 })
    .toBe('Call Sjöqvist now.\nThanks.');
  expect(errors).toEqual([]);
});
