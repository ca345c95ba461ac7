import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, firefox, type Page } from 'playwright';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  inject,
  onTestFinished,
  test,
} from 'vitest';
import { hasSoundServer } from '../../tools/firefox.ts';
import { FIREFOX_PREFERENCES } from '../../tools/testing/firefox-provider.ts';
import { startSoundServer } from '../../tools/testing/sound-server.ts';
import { commandOf, familyOf } from '../helpers/process-family.ts';
import { SPOKEN_WORDS } from '../helpers/spoken-words.ts';
import { wordErrorRate } from '../helpers/word-error-rate.ts';
import { type DictationPage, dictationPage } from './helpers/dictation-page.ts';
import { startServer } from './helpers/server.ts';

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

beforeEach(() => {
  profile = mkdtempSync(join(tmpdir(), 'diktera-firefox-'));
});

afterEach(async () => {
  voice?.kill();
  await context?.close();
  context = null;
  rmSync(profile, { recursive: true, force: true });
});

async function openFirefox(url = serverUrl): Promise<{ page: Page; dictation: DictationPage }> {
  context = await firefox.launchPersistentContext(profile, {
    channel: 'moz-firefox',
    ...(executablePath ? { executablePath } : {}),
    firefoxUserPrefs: { ...FIREFOX_PREFERENCES, 'intl.accept_languages': 'sv-SE' },
  });
  const page = await context.newPage();
  await page.goto(url);
  return { page, dictation: dictationPage(page) };
}

/** SIGKILL to every process of it, as a power cut would be. */
async function killFirefox(): Promise<void> {
  const isOurs = (id: number) => commandOf(id).includes(profile);
  const family = familyOf(process.pid).filter(isOurs).flatMap(familyOf);
  for (const id of new Set(family)) process.kill(id, 'SIGKILL');
  await context?.close().catch(() => {});
  context = null;
}

/** The row of what waits to be put somewhere, once its words are there. */
async function expectOffered(page: Page): Promise<void> {
  const row = page.locator('.waiting li').first();
  await row.waitFor();
  await expect.poll(() => row.innerText(), { timeout: 60_000 }).toMatch(SOME_OF_IT);
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
    await expectOffered(page);
    await dictation.picture('firefox-after-reload');
  });

  test.skipIf(process.platform !== 'linux')(
    'what was said before the browser was killed is offered when it is opened again (on Linux)',
    async () => {
      const { dictation } = await openFirefox();
      await dictation.field.click();
      await dictation.startDictating();
      await speak();
      await killFirefox();
      const { page } = await openFirefox();
      await expectOffered(page);
    },
  );

  test('what the server did not get waits, and is text when the server is back', async () => {
    const away = await startServer();
    try {
      const { page, dictation } = await openFirefox(away.url);
      await dictation.field.click();
      await dictation.startDictating();
      await speak();
      await away.stop();
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
