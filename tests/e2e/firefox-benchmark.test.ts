import { type Browser, firefox } from 'playwright';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { dictationPage } from './helpers/dictation-page.ts';

const RUN_DEADLINE_MS = 110_000;

const executablePath = process.env.DIKTERA_FIREFOX;
let browser: Browser | null = null;

afterEach(async () => {
  await browser?.close();
  browser = null;
});

describe.skipIf(!executablePath)('Firefox (left out without one)', () => {
  test('the benchmark page says how fast the detector is there', async () => {
    browser = await firefox.launch({
      channel: 'moz-firefox',
      ...(executablePath ? { executablePath } : {}),
      firefoxUserPrefs: { 'intl.accept_languages': 'sv-SE' },
    });
    const page = await browser.newPage();
    await page.goto(`${inject('serverUrl')}/benchmark.html`);
    await page.locator('input[type=file]').first().setInputFiles('tests/fixtures/speech-en.wav');
    await page.getByRole('button', { name: 'Kör' }).click();
    await page.getByText('Mätningen är klar.').waitFor({ timeout: RUN_DEADLINE_MS });
    const verdict = page.getByText(/^Den här datorn klarar [\d\s]+ gånger realtid/);
    console.log(`Firefox: ${await verdict.innerText()}`);
    expect(await page.getByRole('table').first().getByRole('row').count()).toBe(1 + 8);
    await dictationPage(page).picture('firefox-benchmark');
  });
});
