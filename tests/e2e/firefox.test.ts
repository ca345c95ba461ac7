import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { startSoundServer } from '../drivers/sound-server.ts';
import { SPOKEN_WORDS } from '../helpers/spoken-words.ts';
import { wordErrorRate } from '../helpers/word-error-rate.ts';
import { type DictationPage, dictationPage } from './helpers/dictation-page.ts';
import { startServer } from './helpers/server.ts';
import {
  canSpeakToFirefox,
  type FirefoxOptions,
  type FirefoxPage,
  killFirefox,
  openFirefox,
  someWordsOf,
  speakInRoom,
} from './helpers/speaking-firefox.ts';

// A voice in the room of a real sound server, which Firefox's own microphone hears.

const MAX_ERRORS = 0.3;
const CLIP = 'dictation-one';
const serverUrl = inject('serverUrl');

let endSound: (() => void) | null = null;

beforeAll(async () => {
  if (canSpeakToFirefox) endSound = await startSoundServer();
});

afterAll(() => endSound?.());

type Opened = FirefoxPage & { readonly dictation: DictationPage };

async function open(url = serverUrl, options: FirefoxOptions = {}): Promise<Opened> {
  const opened = await openFirefox(options);
  await opened.page.goto(url);
  return { ...opened, dictation: dictationPage(opened.page) };
}

/** The row of what waits to be put somewhere, once its words are there. */
async function expectOffered(page: Page): Promise<void> {
  const row = page.locator('.waiting li').first();
  await row.waitFor();
  // A row says more than the words.
  await expect.poll(() => row.innerText(), { timeout: 60_000 }).toMatch(someWordsOf(CLIP));
}

const errorsIn = (text: string): number => wordErrorRate(SPOKEN_WORDS[CLIP], text);

describe.skipIf(!canSpeakToFirefox)('Firefox (left out without one, or without PulseAudio)', () => {
  test('from the microphone to the cursor, and back in one step', async () => {
    const { page, dictation } = await open();
    await dictation.field.click();
    await page.keyboard.type('before after');
    for (let step = 0; step < ' after'.length; step += 1) await page.keyboard.press('ArrowLeft');
    await dictation.startDictating();
    await speakInRoom(CLIP);
    await dictation.stopDictating();
    const text = await dictation.text();
    const [, spoken = ''] = /^before (.*) after$/s.exec(text) ?? [];
    expect(errorsIn(spoken), text).toBeLessThanOrEqual(MAX_ERRORS);
    await page.keyboard.press('Control+z');
    expect(await dictation.text()).toBe('before after');
  });

  test('what was said before a reload is offered as text', async () => {
    const { page, dictation } = await open();
    await dictation.field.click();
    await dictation.startDictating();
    await speakInRoom(CLIP);
    await page.reload();
    await expectOffered(page);
    await dictation.picture('firefox-after-reload');
  });

  test.skipIf(process.platform !== 'linux')(
    'what was said before the browser was killed is offered when it is opened again (on Linux)',
    async () => {
      const killed = await open();
      const { dictation, profile } = killed;
      await dictation.field.click();
      await dictation.startDictating();
      await speakInRoom(CLIP);
      await killFirefox(killed);
      const { page } = await open(serverUrl, { profile });
      await expectOffered(page);
    },
  );

  test('what the server did not get waits, and is text when the server is back', async () => {
    const away = await startServer();
    try {
      const { page, dictation } = await open(away.url);
      await dictation.field.click();
      await dictation.startDictating();
      // Not later: what is said by the first pause is text before the stop.
      await page.waitForFunction(() =>
        performance
          .getEntriesByType('resource')
          .some(({ name }) => name.includes('DictationList-')),
      );
      await away.stop();
      await speakInRoom(CLIP);
      await dictation.stopDictating();
      await page.locator('.waiting li').first().waitFor();
      await dictation.picture('firefox-waiting');
      const back = await startServer(away.port);
      onTestFinished(back.stop);
      await expect
        .poll(async () => errorsIn(await dictation.text()), { timeout: 60_000 })
        .toBeLessThanOrEqual(MAX_ERRORS);
      await expect.poll(() => page.locator('.waiting li').count()).toBe(0);
    } finally {
      await away.stop();
    }
  });
});
