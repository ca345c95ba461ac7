import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firefox, type Page } from 'playwright';
import { onTestFinished } from 'vitest';
import { hasSoundServer } from '../../../tools/browsers.ts';
import { FIREFOX_PREFERENCES } from '../../drivers/firefox.ts';
import { commandOf, familyOf } from '../../helpers/process-family.ts';
import { SPOKEN_WORDS } from '../../helpers/spoken-words.ts';
import { chooseSwedish } from './speaking-browser.ts';

const executablePath = process.env.DIKTERA_FIREFOX;

/** True if a Firefox that can hear clips is installed. */
export const canSpeakToFirefox = executablePath !== undefined && hasSoundServer();

/** A page of a Firefox for the test that asks. */
export type FirefoxPage = {
  readonly page: Page;
  /** Errors that the page wrote to the console. */
  readonly errors: readonly string[];
  /** The folder of all that it stores; deleted after the test. */
  readonly profile: string;
};

export type FirefoxOptions = {
  readonly preferences?: Readonly<Record<string, boolean>>;
  /** Of one that was open before. @default a new one */
  readonly profile?: string;
};

/** Opens one, which hears the room of the sound server that runs. */
export async function openFirefox(options: FirefoxOptions = {}): Promise<FirefoxPage> {
  const profile = options.profile ?? mkdtempSync(join(tmpdir(), 'diktera-firefox-'));
  const context = await firefox.launchPersistentContext(profile, {
    channel: 'moz-firefox',
    ...(executablePath ? { executablePath } : {}),
    firefoxUserPrefs: {
      ...FIREFOX_PREFERENCES,
      'intl.accept_languages': 'en-US',
      ...options.preferences,
    },
  });
  onTestFinished(async () => {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  });
  await context.addInitScript(chooseSwedish);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  return { page, errors, profile };
}

/** SIGKILL to every process of the Firefox with this profile, as a power cut would be. */
export async function killFirefox({ page, profile }: FirefoxPage): Promise<void> {
  const isOurs = (id: number) => commandOf(id).includes(profile);
  const family = familyOf(process.pid).filter(isOurs).flatMap(familyOf);
  for (const id of new Set(family)) process.kill(id, 'SIGKILL');
  await page
    .context()
    .close()
    .catch(() => {});
}

/** Says a file in the microphones' room; done when all has been said. */
export async function playInRoom(path: string): Promise<void> {
  const player = spawn('paplay', ['--device=room', path], { stdio: 'ignore' });
  onTestFinished(() => void player.kill());
  await new Promise((resolve) => player.once('exit', resolve));
}

/** A clip of `tests/fixtures`. */
export type Clip = keyof typeof SPOKEN_WORDS;

/** Says a clip in the microphones' room; done when all has been said. */
export const speakInRoom = (clip: Clip): Promise<void> => playInRoom(`tests/fixtures/${clip}.wav`);

/** The words of a clip that are easiest to hear, any of them. */
export function someWordsOf(clip: Clip): RegExp {
  const words = SPOKEN_WORDS[clip].split(/\W+/).toSorted((a, b) => b.length - a.length);
  return new RegExp(words.slice(0, 4).join('|'), 'i');
}
