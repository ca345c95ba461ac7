import { resolve } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { openSpeakingBrowser } from '../../e2e/helpers/speaking-browser.ts';
import { SPOKEN_WORDS } from '../../helpers/spoken-words.ts';
import { wordErrorRate } from '../../helpers/word-error-rate.ts';

/**
 * Opens a page in Chromium, speaks a recording into its field `Anteckning`, and holds the text in
 * the field against what was said. No file may be missing and nothing may be complained of.
 */
export async function dictateOn(url: string): Promise<{ readonly fetched: readonly string[] }> {
  const browser = await openSpeakingBrowser({
    wavPath: resolve('tests/fixtures/dictation-two.wav'),
    url: 'about:blank',
  });
  onTestFinished(() => browser.close());
  const { page, context } = browser;
  const fetched: string[] = [];
  const failed: string[] = [];
  context.on('response', (response) => {
    fetched.push(response.url());
    if (response.status() >= 400) failed.push(`${response.status()} ${response.url()}`);
  });
  context.on('requestfailed', (request) => failed.push(`no answer ${request.url()}`));
  await page.goto(url);
  const field = page.getByRole('textbox', { name: 'Anteckning' });
  await field.click();
  await page.getByRole('button', { name: 'Diktera', exact: true }).click();
  await page.locator('.recording-bar[data-phase="recording"]').waitFor();
  await page.locator('.recording-time[datetime="PT5S"]').waitFor();
  await page.getByRole('button', { name: 'Klar' }).click();
  await page.locator('.recording-bar').waitFor({ state: 'detached', timeout: 60_000 });
  const text = await field.evaluate((each) =>
    'value' in each ? String(each.value) : (each as HTMLElement).innerText,
  );
  expect(wordErrorRate(SPOKEN_WORDS['dictation-two'], text), text).toBeLessThanOrEqual(0.2);
  expect(failed).toEqual([]);
  expect(browser.errors).toEqual([]);
  return { fetched };
}
