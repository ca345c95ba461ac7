import { resolve } from 'node:path';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { SPOKEN_WORDS } from '../helpers/spoken-words.ts';
import { wordErrorRate } from '../helpers/word-error-rate.ts';
import { dictationPage } from './helpers/dictation-page.ts';
import { type RunningServer, startServer } from './helpers/server.ts';
import { openSpeakingBrowser, type SpeakingBrowser } from './helpers/speaking-browser.ts';

const WAV_PATH = resolve('tests/fixtures/dictation-one.wav');

let server: RunningServer | null = null;
let browser: SpeakingBrowser | null = null;

afterEach(async () => {
  await browser?.close();
  await server?.stop();
  browser = null;
  server = null;
});

async function open(url: string, refusesMicrophone = false) {
  browser = await openSpeakingBrowser({ wavPath: WAV_PATH, url, refusesMicrophone });
  return { ...browser, dictation: dictationPage(browser.page) };
}

describe('when something is wrong', () => {
  test('a server that is gone: a notice, the audio waits, and its text goes in when the server is back', async () => {
    const running = await startServer();
    server = running;
    const { page, dictation, errors } = await open(running.url);
    await dictation.field.click();
    await dictation.startDictating();
    // Not later: what is said by the first pause is text before the stop.
    await dictation.recordUntil(1);
    // Both are asked for half a second after the first sound, which the machine may be late with.
    for (const script of ['DictationList', 'later-parts']) {
      await page.waitForFunction(
        (name) =>
          performance
            .getEntriesByType('resource')
            .some((entry) => entry.name.includes(name) && entry.name.endsWith('.js')),
        script,
      );
    }
    await running.stop();
    await dictation.recordUntil(6);
    await dictation.stopDictating();
    await page.locator('[data-notice="upload-failed"]').waitFor();
    expect(errors.some((line) => line.startsWith('Error getting transcription'))).toBe(true);
    await page.locator('.waiting li[data-state="network"]').waitFor();
    await dictation.picture('server-down');
    expect(await dictation.text()).toBe('');

    server = await startServer(running.port);
    // It is tried again within some seconds. The field is as it was left: the late text goes where
    // it belongs by itself.
    await page.locator('.waiting').waitFor({ state: 'detached' });
    const heard = await dictation.text();
    expect(wordErrorRate(SPOKEN_WORDS['dictation-one'], heard), heard).toBeLessThanOrEqual(0.2);
    await page.locator('[data-notice="upload-failed"]').waitFor({ state: 'detached' });
  });

  test('the script of the list, and of what is said later, could not be fetched: it is when it can be', async () => {
    const { page, dictation } = await open(inject('serverUrl'));
    // The page runs, and has fetched nothing of it yet: that comes with the first sound.
    await page.route(/\/assets\/(DictationList|later-parts|app)-/, (route) => route.abort());
    await page.route('**/api/asr/vad', (route) => route.abort());
    await dictation.field.click();
    await dictation.startDictating();
    await dictation.recordUntil(3);
    await dictation.stopDictating();
    expect(await page.locator('.waiting li').count()).toBe(0);
    await page.unroute(/\/assets\/(DictationList|later-parts|app)-/);
    await page.locator('.waiting li[data-state="network"]').waitFor();
    await page.locator('[data-notice="upload-failed"]').waitFor();
  });

  test('a microphone that is refused: said in words, logged, and nothing hangs', async () => {
    const { page, dictation, errors } = await open(inject('serverUrl'), true);
    await dictation.field.click();
    await dictation.dictate.click();
    await page.locator('[data-notice="microphone-denied"]').waitFor();
    await dictation.picture('microphone-denied');
    await dictation.bar.waitFor({ state: 'detached' });
    await expect.poll(() => errors.length).toBeGreaterThan(0);
  });
});
