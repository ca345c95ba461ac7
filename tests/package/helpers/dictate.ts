import { resolve } from 'node:path';
import type { Page } from 'playwright';
import { expect, onTestFinished } from 'vitest';
import { dictateIntoNote, untilRecorded } from '../../e2e/helpers/dictation-page.ts';
import { openSpeakingBrowser, type SpeakingBrowser } from '../../e2e/helpers/speaking-browser.ts';
import { SPOKEN_WORDS } from '../../helpers/spoken-words.ts';
import { wordErrorRate } from '../../helpers/word-error-rate.ts';

/** A browser in whose microphone the words of `expectSpoken` are said; closed with the test. */
export async function openSpeaking(): Promise<SpeakingBrowser> {
  const wavPath = resolve('tests/fixtures/dictation-two.wav');
  const browser = await openSpeakingBrowser({ wavPath, url: 'about:blank' });
  onTestFinished(() => browser.close());
  return browser;
}

/** Holds a text against what was said. */
export function expectSpoken(text: string): void {
  expect(wordErrorRate(SPOKEN_WORDS['dictation-two'], text), text).toBeLessThanOrEqual(0.2);
}

export type Dictated = { readonly page: Page; readonly fetched: readonly string[] };

/**
 * Opens a page in Chromium, speaks a recording into its field `Anteckning`, and holds the text in
 * the field against what was said. No file may be missing and nothing may be complained of.
 */
export async function dictateOn(url: string): Promise<Dictated> {
  const browser = await openSpeaking();
  const { page, context } = browser;
  const fetched: string[] = [];
  const failed: string[] = [];
  context.on('response', (response) => {
    fetched.push(response.url());
    if (response.status() >= 400) failed.push(`${response.status()} ${response.url()}`);
  });
  context.on('requestfailed', (request) => {
    // A text asked for at a pause is given up where the speech went on.
    if (request.failure()?.errorText === 'net::ERR_ABORTED') return;
    failed.push(`no answer ${request.url()}`);
  });
  await page.goto(url);
  expectSpoken(await dictateIntoNote(page, () => untilRecorded(page, 5)));
  expect(failed).toEqual([]);
  expect(browser.errors).toEqual([]);
  return { page, fetched };
}
