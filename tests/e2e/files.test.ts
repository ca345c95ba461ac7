import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterEach, expect, inject, test } from 'vitest';
import { concatSamples } from '../../src/core/audio/samples.ts';
import { writeWav } from '../../src/core/audio/wav-file.ts';
import { readWave } from '../helpers/read-wave.ts';
import { SPOKEN_WORDS } from '../helpers/spoken-words.ts';
import { wordErrorRate } from '../helpers/word-error-rate.ts';
import { accessibilityFindings } from './helpers/accessibility-findings.ts';
import { dictationPage } from './helpers/dictation-page.ts';
import { openSpeakingBrowser, type SpeakingBrowser } from './helpers/speaking-browser.ts';

/** A file of sound becomes text in the note, by the real engine. */
const serverUrl = inject('serverUrl');
let browser: SpeakingBrowser;

/** Several pieces, since a pause is a second long. What is said again at once counts as a loop. */
const SAID = Array.from({ length: 3 }).flatMap(
  () => ['dictation-one', 'speech-en', 'dictation-two'] as const,
);
const LONG = {
  name: 'möte.wav',
  mimeType: 'audio/wav',
  buffer: Buffer.from(writeWav(joined(SAID.map(speech)))),
};
const WORDS = SAID.map((name) => SPOKEN_WORDS[name]).join(' ');

afterEach(() => browser.close());

test('chosen, its text comes piece by piece, and is saved with its times', {
  timeout: 180_000,
}, async () => {
  browser = await openSpeakingBrowser({
    wavPath: resolve('tests/fixtures/dictation-two.wav'),
    url: serverUrl,
    viewport: { width: 320, height: 640 },
  });
  const { page } = browser;
  const { text } = dictationPage(page);
  const chooser = page.locator('input[type=file]');
  await chooser.waitFor({ state: 'attached' });
  await chooser.setInputFiles(LONG);
  await page.getByText('möte.wav blir text …').waitFor();
  await page.screenshot({ path: 'tests/artifacts/files-reading.png' });
  await page.getByText('möte.wav är klar.').waitFor({ timeout: 120_000 });
  expect(wordErrorRate(WORDS, await text())).toBeLessThanOrEqual(0.25);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'srt', exact: true }).click();
  const saved = await download;
  expect(saved.suggestedFilename()).toBe('möte.srt');
  expect(readFileSync(await saved.path(), 'utf8')).toMatch(
    /^1\n00:00:0\d,\d{3} --> 00:00:\d\d,\d{3}\n\S/,
  );
  expect(await accessibilityFindings(page)).toEqual([]);
  const isWide = 'document.documentElement.scrollWidth > innerWidth';
  expect(await page.evaluate(isWide)).toBe(false);
  await page.screenshot({ path: 'tests/artifacts/files-done.png' });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 1_000, height: 760 });
  await page.screenshot({ path: 'tests/artifacts/files-done-dark.png' });
  expect(browser.errors).toEqual([]);
});

test('a tab that is loaded anew amid a file goes on by one press: no word is missing or there twice', {
  timeout: 180_000,
}, async () => {
  browser = await openSpeakingBrowser({
    wavPath: resolve('tests/fixtures/dictation-two.wav'),
    url: serverUrl,
  });
  const { page } = browser;
  const { text } = dictationPage(page);
  let asked = 0;
  await page.route('**/api/asr/vad', (route) => {
    asked += 1;
    // The first piece alone is answered before the page goes.
    if (asked === 1) return route.continue();
  });
  const chooser = page.locator('input[type=file]');
  await chooser.waitFor({ state: 'attached' });
  await chooser.setInputFiles(LONG);
  await expect.poll(text, { timeout: 60_000 }).not.toBe('');
  await expect.poll(() => asked).toBe(2);
  await page.unrouteAll();
  await page.reload();
  await page.getByRole('button', { name: 'Fortsätt' }).click();
  await page.getByText('möte.wav är klar.').waitFor({ timeout: 120_000 });
  expect(await page.getByRole('button', { name: /^Infoga/ }).count()).toBe(0);
  expect(wordErrorRate(WORDS, await text())).toBeLessThanOrEqual(0.25);
  expect(browser.errors).toEqual([]);
});

/** The spoken clip, at 16 kHz. */
function speech(name: (typeof SAID)[number]): Float32Array {
  const { buffer } = new Uint8Array(readFileSync(`tests/fixtures/${name}.wav`));
  return readWave(buffer, name === 'speech-en' ? 1 : 3);
}

function joined(sounds: readonly Float32Array[]): Float32Array {
  return concatSamples(sounds.flatMap((sound) => [sound, new Float32Array(16_000)]));
}
