import { resolve } from 'node:path';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { SPOKEN_WORDS } from '../helpers/spoken-words.ts';
import { wordErrorRate } from '../helpers/word-error-rate.ts';
import { dictationPage } from './helpers/dictation-page.ts';
import { openSpeakingBrowser, type SpeakingBrowser } from './helpers/speaking-browser.ts';

const serverUrl = inject('serverUrl');
let browser: SpeakingBrowser;

afterEach(() => browser.close());

/** The page, with a hold on the microphone's track and the audio context that it will open. */
async function open() {
  browser = await openSpeakingBrowser({
    wavPath: resolve('tests/fixtures/dictation-one.wav'),
    url: 'about:blank',
  });
  await browser.page.addInitScript(() => {
    const media = navigator.mediaDevices;
    const getUserMedia = media.getUserMedia.bind(media);
    media.getUserMedia = async (constraints) => {
      if ('hasNoMicrophone' in globalThis) throw new DOMException('gone', 'NotFoundError');
      const stream = await getUserMedia(constraints);
      Object.assign(globalThis, { openedTrack: stream.getAudioTracks()[0] });
      return stream;
    };
    globalThis.AudioContext = class extends AudioContext {
      constructor(options?: AudioContextOptions) {
        super(options);
        Object.assign(globalThis, { openedContext: this });
      }
    };
  });
  await browser.page.goto(serverUrl);
  const page = dictationPage(browser.page);
  await page.field.click();
  await page.startDictating();
  await page.recordUntil(6);
  return page;
}

describe('what was said before it went wrong is written down, and the cause is said', () => {
  test.each([
    [
      'the only microphone goes away',
      'microphone-lost',
      () =>
        browser.page.evaluate(() => {
          const { openedTrack } = globalThis as unknown as { openedTrack: MediaStreamTrack };
          Object.assign(globalThis, { hasNoMicrophone: true });
          openedTrack.stop();
          openedTrack.dispatchEvent(new Event('ended')); // `stop` alone is silent.
        }),
    ],
    [
      'the browser closes the audio context',
      'audio-context-closed',
      () =>
        browser.page.evaluate(() =>
          (globalThis as unknown as { openedContext: AudioContext }).openedContext.close(),
        ),
    ],
  ] as const)('%s', async (_what, notice, lose) => {
    const page = await open();
    await lose();
    await browser.page.locator(`[data-notice="${notice}"]`).waitFor();
    await page.bar.waitFor({ state: 'detached', timeout: 60_000 });
    await browser.page.waitForFunction(
      () => (document.querySelector('[role="textbox"]')?.textContent ?? '').length > 0,
      undefined,
      { timeout: 60_000 },
    );
    const heard = await page.text();
    expect(wordErrorRate(SPOKEN_WORDS['dictation-one'], heard), heard).toBeLessThanOrEqual(0.2);
    await page.bar.waitFor({ state: 'detached' });

    await browser.page.evaluate(() => Reflect.deleteProperty(globalThis, 'hasNoMicrophone'));
    await page.startDictating();
    await page.recordUntil(6);
    await page.stopDictating();
    const both = await page.text();
    const spoken = `${SPOKEN_WORDS['dictation-one']} ${SPOKEN_WORDS['dictation-one']}`;
    expect(wordErrorRate(spoken, both), both).toBeLessThanOrEqual(0.2);
  });
});
