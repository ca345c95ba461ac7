import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { SPOKEN_WORDS } from '../helpers/spoken-words.ts';
import { wordErrorRate } from '../helpers/word-error-rate.ts';
import { type DictationPage, dictationPage } from './helpers/dictation-page.ts';
import { openSpeakingBrowser, type SpeakingBrowser } from './helpers/speaking-browser.ts';

const ESPEAK_MAX_ERRORS = 0.2;
const HUMAN_MAX_ERRORS = 0.1;
/** The seconds of speech in each clip, without the silence around it. */
const CLIP_SECONDS = { 'dictation-one': 6, 'dictation-two': 5 } as const;
const HUMAN_CLIP = '../shared/data/jfk.wav';
const HUMAN_WORDS =
  'And so my fellow Americans ask not what your country can do for you ask what you can do for your country';

type Clip = keyof typeof CLIP_SECONDS;

const serverUrl = inject('serverUrl');
let browser: SpeakingBrowser | null = null;

afterEach(async () => {
  await browser?.close();
  browser = null;
});

async function open(wavPath: string): Promise<DictationPage> {
  browser = await openSpeakingBrowser({ wavPath: resolve(wavPath), url: serverUrl });
  const page = dictationPage(browser.page);
  await page.field.click();
  return page;
}

const openClip = (clip: Clip) => open(`tests/fixtures/${clip}.wav`);

async function dictate(page: DictationPage, clip: Clip): Promise<void> {
  await page.startDictating();
  await page.recordUntil(CLIP_SECONDS[clip]);
  await page.stopDictating();
}

describe('from the microphone to the cursor', () => {
  test('press, speak, press: the words stand in the field, after a space', async () => {
    const page = await openClip('dictation-one');
    await page.picture('field-focused');
    await page.startDictating();
    await page.recordUntil(3);
    await page.picture('recording');
    await page.recordUntil(CLIP_SECONDS['dictation-one']);
    await page.stopDictating();
    await page.picture('dictated');
    const text = await page.text();
    expect(text).toMatch(/^\S/);
    expect(wordErrorRate(SPOKEN_WORDS['dictation-one'], text), text).toBeLessThanOrEqual(
      ESPEAK_MAX_ERRORS,
    );
    expect(browser?.errors).toEqual([]);
  });

  test('text before and after the cursor stays, undo takes the dictation out and redo puts it back', async () => {
    const page = await openClip('dictation-two');
    const keyboard = browser?.page.keyboard;
    await keyboard?.type('before after');
    for (let step = 0; step < ' after'.length; step += 1) await keyboard?.press('ArrowLeft');
    await dictate(page, 'dictation-two');
    const text = await page.text();
    const [, spoken = ''] = /^before (.*) after$/s.exec(text) ?? [];
    expect(wordErrorRate(SPOKEN_WORDS['dictation-two'], spoken), spoken).toBeLessThanOrEqual(
      ESPEAK_MAX_ERRORS,
    );
    await keyboard?.press('Control+z');
    expect(await page.text()).toBe('before after');
    await keyboard?.press('Control+Shift+z');
    expect(await page.text()).toBe(text);
  });

  test('two dictations one after the other in one field', async () => {
    const page = await openClip('dictation-two');
    await dictate(page, 'dictation-two');
    const first = await page.text();
    await dictate(page, 'dictation-two');
    const both = await page.text();
    expect(both.startsWith(first)).toBe(true);
    const spoken = `${SPOKEN_WORDS['dictation-two']} ${SPOKEN_WORDS['dictation-two']}`;
    expect(wordErrorRate(spoken, both), both).toBeLessThanOrEqual(ESPEAK_MAX_ERRORS);
  });

  test('a pause keeps what was said, and time stands still in it', async () => {
    const page = await openClip('dictation-one');
    const pause = browser?.page.getByRole('button', { name: 'Pausa' });
    await page.startDictating();
    await page.recordUntil(CLIP_SECONDS['dictation-one']);
    await pause?.click();
    await browser?.page.locator('[data-phase="paused"]').waitFor();
    await page.picture('paused');
    const before = await browser?.page.locator('.recording-time').getAttribute('datetime');
    await browser?.page.getByRole('button', { name: 'Fortsätt' }).click();
    await browser?.page.locator('[data-phase="recording"]').waitFor();
    const after = await browser?.page.locator('.recording-time').getAttribute('datetime');
    expect(after).toBe(before);
    await page.stopDictating();
    const heard = await page.text();
    expect(wordErrorRate(SPOKEN_WORDS['dictation-one'], heard), heard).toBeLessThanOrEqual(
      ESPEAK_MAX_ERRORS,
    );
  });

  test('the microphone is called Klar while it listens, and ends it', async () => {
    const page = await openClip('dictation-two');
    await page.startDictating();
    await page.recordUntil(CLIP_SECONDS['dictation-two']);
    await browser?.page.getByRole('button', { name: 'Klar' }).click();
    await page.bar.waitFor({ state: 'detached', timeout: 60_000 });
    const heard = await page.text();
    expect(wordErrorRate(SPOKEN_WORDS['dictation-two'], heard), heard).toBeLessThanOrEqual(
      ESPEAK_MAX_ERRORS,
    );
  });

  test.skipIf(!existsSync(HUMAN_CLIP))(
    'human speech (needs the recording beside the project)',
    async () => {
      const page = await open(HUMAN_CLIP);
      await page.startDictating();
      await page.recordUntil(12);
      await page.stopDictating();
      const heard = await page.text();
      expect(wordErrorRate(HUMAN_WORDS, heard), heard).toBeLessThanOrEqual(HUMAN_MAX_ERRORS);
    },
  );
});
