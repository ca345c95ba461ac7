import { resolve } from 'node:path';
import { inject, test } from 'vitest';
import { writeWav } from '../../src/core/audio/wav-file.ts';
import { openSpeakingBrowser } from './helpers/speaking-browser.ts';

const url = inject('serverUrl');
test('shots', { timeout: 120_000 }, async () => {
  for (const [width, scheme] of [[768, 'light'], [768, 'dark'], [320, 'dark']] as const) {
    const browser = await openSpeakingBrowser({ wavPath: resolve('tests/fixtures/dictation-two.wav'), url: 'about:blank', viewport: { width, height: 800 }, colorScheme: scheme });
    const { page } = browser;
    const shot = (name: string) => page.screenshot({ path: `tests/artifacts/shot-${name}-${width}-${scheme}.png` });
    await page.goto(`${url}/finns/inte`);
    await shot('404');
    await page.route('**/api/health', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }));
    await page.goto(url);
    await page.getByText('Logga in igen').first().waitFor();
    await shot('signin');
    await page.unrouteAll();
    await page.route('**/api/models', (route) => route.fulfill({ json: { token: null, models: [] } }));
    await page.goto(url);
    const chooser = page.locator('input[type=file]');
    await chooser.waitFor({ state: 'attached' });
    const sound = Float32Array.from({ length: 900_000 }, (_, n) => Math.sin(n / 8) * 0.2);
    let n = 0;
    await page.route('**/api/asr/vad', (route) => { n += 1; return n > 1 ? undefined : route.fulfill({ json: { transcription: 'Patienten mår bra och har ingen feber.' } }); });
    await chooser.setInputFiles([
      { name: 'styrelsemöte den 14 november.wav', mimeType: 'audio/wav', buffer: Buffer.from(writeWav(sound)) },
      { name: 'bild.mp4', mimeType: 'video/mp4', buffer: Buffer.from('x') },
    ]);
    await page.locator('progress').waitFor();
    await page.waitForTimeout(2_000);
    await shot('files');
    await page.getByRole('button', { name: 'Avbryt' }).first().click();
    await page.unrouteAll();
    await page.waitForTimeout(3_000);
    await shot('files-cancelled');
    await page.evaluate(() => { document.documentElement.dataset.isFileOver = ''; });
    await shot('drag');
    await page.getByRole('button', { name: 'Alternativ' }).click();
    await page.waitForTimeout(700);
    await shot('options');
    await browser.close();
  }
});
