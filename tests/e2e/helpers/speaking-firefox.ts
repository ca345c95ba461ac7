import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firefox, type Page } from 'playwright';
import { onTestFinished } from 'vitest';
import { hasSoundServer } from '../../../tools/firefox.ts';
import { FIREFOX_PREFERENCES } from '../../../tools/testing/firefox-provider.ts';

const executablePath = process.env.DIKTERA_FIREFOX;

/** Whether there is a Firefox here that can be spoken to. */
export const canSpeakToFirefox = executablePath !== undefined && hasSoundServer();

/** A page of a Firefox with a profile of its own, for the test that asks; it wrote these errors. */
export type FirefoxPage = { readonly page: Page; readonly errors: readonly string[] };

/** Opens one, which hears the room of the sound server that runs. */
export async function openFirefox(
  preferences: Readonly<Record<string, boolean>> = {},
): Promise<FirefoxPage> {
  const profile = mkdtempSync(join(tmpdir(), 'diktera-firefox-'));
  const context = await firefox.launchPersistentContext(profile, {
    channel: 'moz-firefox',
    ...(executablePath ? { executablePath } : {}),
    firefoxUserPrefs: {
      ...FIREFOX_PREFERENCES,
      'intl.accept_languages': 'sv-SE',
      ...preferences,
    },
  });
  onTestFinished(async () => {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  return { page, errors };
}

/** Says a clip of `tests/fixtures` in the microphones' room; done when all has been said. */
export async function speakInRoom(clip: string): Promise<void> {
  const player = spawn('paplay', ['--device=room', `tests/fixtures/${clip}.wav`], {
    stdio: 'ignore',
  });
  onTestFinished(() => void player.kill());
  await new Promise((resolve) => player.once('exit', resolve));
}
