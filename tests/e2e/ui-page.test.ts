import { resolve } from 'node:path';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { accessibilityFindings } from './helpers/accessibility-findings.ts';
import { dictationPage, openDiagnostics } from './helpers/dictation-page.ts';
import { openSpeakingBrowser, type SpeakingBrowser } from './helpers/speaking-browser.ts';

const serverUrl = inject('serverUrl');
let browser: SpeakingBrowser | null = null;

afterEach(async () => {
  await browser?.close();
  browser = null;
});

async function open(look: Partial<Parameters<typeof openSpeakingBrowser>[0]> = {}) {
  browser = await openSpeakingBrowser({
    wavPath: resolve('tests/fixtures/dictation-one.wav'),
    url: serverUrl,
    ...look,
  });
  const { page } = browser;
  return { page, dictation: dictationPage(page) };
}

const LOOKS = [
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['a phone of 320 px', { viewport: { width: 320, height: 640 } }],
  ['200 % zoom (half the window)', { viewport: { width: 500, height: 380 } }],
] as const;

describe.each(LOOKS)('%s', (name, look) => {
  test('axe finds nothing, and nothing is wider than the window, at rest and while recording', async () => {
    const { page, dictation } = await open(look);
    const expectFine = async (state: string) => {
      expect(await accessibilityFindings(page), state).toEqual([]);
      const isWider = () => document.documentElement.scrollWidth > innerWidth;
      expect(await page.evaluate(isWider), state).toBe(false);
      await dictation.picture(`page-${name.split(' ')[0]}-${state}`);
    };
    await openDiagnostics(page);
    await expectFine('options');
    await page.keyboard.press('Escape');
    await dictation.field.click();
    await page.locator('.toolbar').waitFor();
    await expectFine('focused');
    await dictation.startDictating();
    await dictation.recordUntil(3);
    await expectFine('recording');
  });
});

test('with reduced motion nothing spins or slides, in forced colours the states can be told', async () => {
  const { page, dictation } = await open();
  await page.emulateMedia({ reducedMotion: 'reduce', forcedColors: 'active' });
  await dictation.field.click();
  const border = () => dictation.dictate.evaluate((each) => getComputedStyle(each).borderColor);
  const before = await border();
  await dictation.startDictating();
  expect(await border()).not.toBe(before);
  await dictation.recordUntil(3);
  await dictation.picture('forced-colours');
  await dictation.dictate.click();
  const spinner = page.locator('.foot-state .spinner');
  await spinner.waitFor();
  expect(await spinner.evaluate((each) => getComputedStyle(each).animationName)).toBe('none');
  await dictation.bar.waitFor({ state: 'detached', timeout: 60_000 });
});
