import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, firefox, type Page } from 'playwright';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { hasSoundServer } from '../../tools/firefox.ts';
import { FIREFOX_PREFERENCES } from '../../tools/testing/firefox-provider.ts';
import { startSoundServer } from '../../tools/testing/sound-server.ts';
import { SPOKEN_WORDS } from '../helpers/spoken-words.ts';
import { wordErrorRate } from '../helpers/word-error-rate.ts';
import { type DictationPage, dictationPage } from './helpers/dictation-page.ts';

// A voice in the room of a real sound server, which Firefox's own microphone hears.

const MAX_ERRORS = 0.3;
const CLIP = 'dictation-one';
/** A row says more than the words. */
const SOME_OF_IT = new RegExp(longest(SPOKEN_WORDS[CLIP]).join('|'), 'i');
const executablePath = process.env.DIKTERA_FIREFOX;
const canSpeak = executablePath !== undefined && hasSoundServer();
const serverUrl = inject('serverUrl');

let endSound: (() => void) | null = null;
let profile = '';
let context: BrowserContext | null = null;
let voice: ChildProcess | null = null;

beforeAll(async () => {
  if (canSpeak) endSound = await startSoundServer();
});

afterAll(() => endSound?.());

afterEach(async () => {
  voice?.kill();
  await context?.close();
  context = null;
  rmSync(profile, { recursive: true, force: true });
});

async function openFirefox(): Promise<{ page: Page; dictation: DictationPage }> {
  profile = mkdtempSync(join(tmpdir(), 'diktera-firefox-'));
  context = await firefox.launchPersistentContext(profile, {
    channel: 'moz-firefox',
    ...(executablePath ? { executablePath } : {}),
    firefoxUserPrefs: { ...FIREFOX_PREFERENCES, 'intl.accept_languages': 'sv-SE' },
  });
  const page = await context.newPage();
  await page.goto(serverUrl);
  return { page, dictation: dictationPage(page) };
}

/** Begins to speak once it is listened to; done when all has been said. */
async function speak(): Promise<void> {
  const file = `tests/fixtures/${CLIP}.wav`;
  const player = spawn('paplay', ['--device=room', file], { stdio: 'ignore' });
  voice = player;
  await new Promise((resolve) => player.once('exit', resolve));
}

/** The words that are easiest to hear. */
function longest(text: string): readonly string[] {
  const words = text.split(/\W+/).toSorted((a, b) => b.length - a.length);
  return words.slice(0, 4);
}

const errorsIn = (text: string): number => wordErrorRate(SPOKEN_WORDS[CLIP], text);

describe.skipIf(!canSpeak)('Firefox (left out without one, or without PulseAudio)', () => {
  test('from the microphone to the cursor, and back in one step', async () => {
    const { page, dictation } = await openFirefox();
    await dictation.field.click();
    await page.keyboard.type('before after');
    for (let step = 0; step < ' after'.length; step += 1) await page.keyboard.press('ArrowLeft');
    await dictation.startDictating();
    await speak();
    await dictation.stopDictating();
    const text = await dictation.text();
    const [, spoken = ''] = /^before (.*) after$/s.exec(text) ?? [];
    expect(errorsIn(spoken), text).toBeLessThanOrEqual(MAX_ERRORS);
    await page.keyboard.press('Control+z');
    expect(await dictation.text()).toBe('before after');
  });

  test('what was said before a reload is offered as text', async () => {
    const { page, dictation } = await openFirefox();
    await dictation.field.click();
    await dictation.startDictating();
    await speak();
    await page.reload();
    const row = page.locator('.waiting li').first();
    await row.waitFor();
    await expect.poll(() => row.innerText(), { timeout: 60_000 }).toMatch(SOME_OF_IT);
    await dictation.picture('firefox-after-reload');
  });
});
