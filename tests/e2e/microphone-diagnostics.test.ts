import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { lowPass } from '../helpers/low-pass.ts';
import { readWave } from '../helpers/read-wave.ts';
import { waveFile } from '../helpers/wave-file.ts';
import { dictationPage } from './helpers/dictation-page.ts';
import { openSpeakingBrowser, type SpeakingBrowser } from './helpers/speaking-browser.ts';

const RATE_HZ = 48_000;
/** The samples of speech in the fixture, between its silences. */
const SPOKEN = [RATE_HZ, 5 * RATE_HZ] as const;

const serverUrl = inject('serverUrl');
let browser: SpeakingBrowser;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'diktera-diagnostics-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});
afterEach(() => browser.close());

const { buffer } = Uint8Array.from(readFileSync('tests/fixtures/dictation-one.wav'));
const sentence = readWave(buffer).subarray(...SPOKEN);

/** The same words over and over, for 20 s. */
function spoken(sound: Float32Array): Float32Array {
  const all = new Float32Array(20 * RATE_HZ);
  for (let at = 0; at < all.length; at += sound.length) {
    all.set(sound.subarray(0, all.length - at), at);
  }
  return all;
}

/** Records what the microphone hears; the page's line about it. */
async function hear(samples: Float32Array) {
  const wavPath = join(folder, 'voice.wav');
  writeFileSync(wavPath, waveFile(RATE_HZ, samples));
  browser = await openSpeakingBrowser({ wavPath, url: serverUrl });
  const dictation = dictationPage(browser.page);
  await dictation.field.click();
  await dictation.startDictating();
  return { dictation, line: browser.page.locator('.microphone-advice') };
}

describe("microphone diagnostics, through the browser's own processing", () => {
  test.each([
    [
      'a headset with a telephone’s band',
      () => spoken(lowPass(sentence, 3_100, RATE_HZ)),
      'Ljudet har telefonkvalitet. Välj datorns egen mikrofon för säkrare text.',
    ],
    [
      'a microphone that gives nothing',
      () => new Float32Array(20 * RATE_HZ),
      'Inget hörs. Kontrollera att rätt mikrofon är vald och påslagen.',
    ],
    [
      'one that is far too loud',
      () => spoken(sentence).map((sample) => Math.max(-1, Math.min(1, 12 * sample))),
      'Ljudet är för starkt. Håll mikrofonen längre från munnen.',
    ],
    [
      'one that is hardly heard',
      () => spoken(sentence).map((sample) => sample / 100),
      'Det hörs svagt. Håll mikrofonen närmare munnen.',
    ],
  ])('%s', async (_name, sound, words) => {
    const { line } = await hear(sound());
    await line.filter({ hasText: words }).waitFor({ timeout: 30_000 });
    expect(await line.innerText()).toBe(words);
  });

  test('one that is well: nothing is said', async () => {
    const { dictation, line } = await hear(spoken(sentence));
    await dictation.recordUntil(12);
    expect(await line.innerText()).toBe('');
  });
});
