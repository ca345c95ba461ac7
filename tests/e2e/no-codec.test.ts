import { afterEach, expect, inject, test } from 'vitest';
import { SPOKEN_WORDS } from '../helpers/spoken-words.ts';
import { wordErrorRate } from '../helpers/word-error-rate.ts';
import { dictationPage } from './helpers/dictation-page.ts';
import { openSpeakingBrowser, type SpeakingBrowser } from './helpers/speaking-browser.ts';

let browser: SpeakingBrowser | null = null;

/** Before the worker's own script; a worker of a worker is not seen from here. */
const NO_CODEC = `delete self.AudioEncoder;
self.Worker = class extends Worker {
  constructor(address, options) {
    super(address, options);
    if (/opus[.]worker-/.test(address)) this.addEventListener('message', () => console.log('Opus has answered'));
  }
};
`;

afterEach(async () => {
  await browser?.close();
  browser = null;
});

test('a browser without a codec has one brought, and sends an eighth of what WAV would be', async () => {
  const wavPath = 'tests/fixtures/dictation-one.wav';
  browser = await openSpeakingBrowser({ wavPath, url: 'about:blank' });
  const { page, errors } = browser;
  await page.route(/dictation\.worker-[^/]*\.js$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({
      response,
      body: NO_CODEC + (await response.text()),
    });
  });
  const codec = page.waitForEvent('console', (line) => line.text() === 'Opus has answered');
  // Pieces at pauses, and guesses of them.
  const bodies: Promise<number>[] = [];
  page.on('requestfinished', (one) => {
    if (!one.url().endsWith('/api/asr/vad')) return;
    bodies.push(one.sizes().then(({ requestBodySize }) => requestBodySize));
  });
  await page.goto(inject('serverUrl'));
  const dictation = dictationPage(page);
  await dictation.field.click();
  await codec;
  await dictation.startDictating();
  await dictation.recordUntil(6);
  await dictation.stopDictating();
  const largest = Math.max(...(await Promise.all(bodies)));
  expect(largest).toBeGreaterThan(5_000);
  expect(largest, 'as WAV it would be 190 kB').toBeLessThan(50_000);
  const heard = await dictation.text();
  expect(wordErrorRate(SPOKEN_WORDS['dictation-one'], heard), heard).toBeLessThanOrEqual(0.2);
  expect(errors).toEqual([]);
});
