import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterEach, expect, inject, test } from 'vitest';
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
  const { field, text } = dictationPage(page);
  const chooser = page.locator('input[type=file]');
  await chooser.waitFor({ state: 'attached' });
  // Several pieces: what was said twice over, with a pause between.
  const said = speech('dictation-one');
  const sound = new Float32Array(2 * said.length + 160_000);
  sound.set(said);
  sound.set(said, said.length + 160_000);
  await field.click();
  await page.keyboard.type('Förut.');
  await chooser.setInputFiles({
    name: 'möte.wav',
    mimeType: 'audio/wav',
    buffer: Buffer.from(writeWav(sound)),
  });
  await page.getByText('möte.wav blir text …').waitFor();
  await page.screenshot({ path: 'tests/artifacts/files-reading.png' });
  await page.getByText('möte.wav är klar.').waitFor({ timeout: 120_000 });
  const words = `${SPOKEN_WORDS['dictation-one']} ${SPOKEN_WORDS['dictation-one']}`;
  expect(wordErrorRate(words, (await text()).replace(/^Förut\. /, ''))).toBeLessThanOrEqual(0.25);
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

/** What was spoken, at 16 kHz. */
function speech(name: string): Float32Array {
  const { buffer } = new Uint8Array(readFileSync(`tests/fixtures/${name}.wav`));
  return readWave(buffer, 3);
}
