import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { startSoundServer } from '../drivers/sound-server.ts';
import { appPage } from './helpers/app-page.ts';
import { dictationPage } from './helpers/dictation-page.ts';
import { startServer } from './helpers/server.ts';
import {
  canSpeakToFirefox,
  openFirefox,
  someWordsOf,
  speakInRoom,
} from './helpers/speaking-firefox.ts';

// Behaviour of real Firefox pages alone: kept for Back, private windows, opened without a network.

const CLIP = 'dictation-one';
/** A row says more than these. */
const SOME_OF_IT = someWordsOf(CLIP);
const serverUrl = inject('serverUrl');

let endSound: (() => void) | null = null;

beforeAll(async () => {
  if (canSpeakToFirefox) endSound = await startSoundServer();
});

afterAll(() => endSound?.());

async function dictate(page: Page): Promise<void> {
  const dictation = dictationPage(page);
  await dictation.field.click();
  await dictation.startDictating();
  await speakInRoom(CLIP);
}

/** Asks the page itself: a locator waits for ever for the end of a Back that brings a kept page. */
async function expectOffered(page: Page): Promise<void> {
  const row = () =>
    page.evaluate(() => document.querySelector<HTMLElement>('.waiting li')?.innerText ?? '');
  await expect.poll(row, { timeout: 60_000 }).toMatch(SOME_OF_IT);
}

/** Marks the page, and says later whether it is the same one. */
async function marked(page: Page): Promise<() => Promise<boolean>> {
  await page.evaluate(() => document.documentElement.setAttribute('data-mark', ''));
  return () => page.evaluate(() => document.documentElement.hasAttribute('data-mark'));
}

const back = (page: Page) => page.evaluate(() => history.back()).catch(() => {});

describe.skipIf(!canSpeakToFirefox)('Firefox (left out without one, or without PulseAudio)', () => {
  test('what was said on a page that is left by a link is offered when Back brings it', async () => {
    const { page } = await openFirefox();
    await page.goto(serverUrl);
    await dictate(page);
    await page.evaluate(() => location.assign('/benchmark.html'));
    await page.getByRole('button', { name: 'Kör' }).waitFor();
    await back(page);
    await page.waitForURL(`${serverUrl}/`);
    await expectOffered(page);
  });

  test('a page that was kept shows, when Back brings it, what another has left', async () => {
    const { page } = await openFirefox();
    await page.goto(serverUrl);
    await dictationPage(page).field.waitFor();
    const isSame = await marked(page);
    await page.evaluate(() => location.assign('/manifest.webmanifest'));
    await page.waitForURL('**/manifest.webmanifest');
    const other = await page.context().newPage();
    await other.goto(serverUrl);
    await dictate(other);
    await other.close();
    await back(page);
    await expectOffered(page);
    expect(await isSame()).toBe(true);
  });

  test('in a private window what was said before a reload is offered, and nothing is wrong', async () => {
    const { page, errors } = await openFirefox({
      preferences: { 'browser.privatebrowsing.autostart': true },
    });
    await page.goto(serverUrl);
    await dictate(page);
    await page.reload();
    await expectOffered(page);
    // Before the picture, for which a style is put into the page.
    expect(errors).toEqual([]);
    await dictationPage(page).picture('firefox-private');
  });

  test('opens without its server from the second visit on, and offers what was said there', async () => {
    const server = await startServer();
    onTestFinished(server.stop);
    const { page } = await openFirefox();
    await page.goto(server.url);
    await appPage(page).untilKept();
    await server.stop();
    await page.goto(server.url);
    await dictate(page);
    await page.reload();
    await page.locator('.waiting li').first().waitFor();
    const again = await startServer(server.port);
    onTestFinished(again.stop);
    await expectOffered(page);
  });
});
