import { resolve } from 'node:path';
import type { Page } from 'playwright';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { dictationPage } from './helpers/dictation-page.ts';
import { type RunningServer, startServer } from './helpers/server.ts';
import { openSpeakingBrowser, type SpeakingBrowser } from './helpers/speaking-browser.ts';

/** The rows of the spec's error catalogue that a page can show: what is logged and what is seen. */
let server: RunningServer;
let browser: SpeakingBrowser;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());
afterEach(() => browser.close());

/**
 * The page with something broken before it loads, a script put before the worker's own, and everything
 * that is logged.
 */
async function open(breakIt: () => void, refusesMicrophone = false, workerScript = '') {
  browser = await openSpeakingBrowser({
    wavPath: resolve('tests/fixtures/dictation-two.wav'),
    url: 'about:blank',
    refusesMicrophone,
  });
  const { page } = browser;
  const logged: { readonly type: string; readonly text: string }[] = [];
  page.on('console', (message) => logged.push({ type: message.type(), text: message.text() }));
  await page.addInitScript(breakIt);
  if (workerScript !== '') {
    await page.route(/dictation\.worker-.*\.js$/, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: `${workerScript}\n${await response.text()}` });
    });
  }
  await page.goto(server.url);
  const dictation = dictationPage(page);
  await dictation.field.click();
  const lines = (type: string) =>
    logged.filter((line) => line.type === type).map(({ text }) => text);
  return { page, dictation, lines };
}

/** What is said in a notice of a kind. */
async function words(page: Page, kind: string): Promise<string> {
  return (await page.locator(`[data-notice="${kind}"]`).innerText()).trim();
}

async function expectIdle(page: Page): Promise<void> {
  expect(await page.locator('.recording-bar').count()).toBe(0);
  expect(await dictationPage(page).dictate.getAttribute('aria-pressed')).toBe('false');
}

describe('the recording does not start', () => {
  test('no microphone', async () => {
    const { page, dictation, lines } = await open(() => {
      navigator.mediaDevices.enumerateDevices = async () => [];
    });
    await dictation.dictate.click();
    expect(await words(page, 'microphone-missing')).toBe(
      'Ingen mikrofon hittades. Anslut en mikrofon och tryck på Diktera igen.',
    );
    expect(lines('error').some((line) => line.startsWith('No supported microphone found'))).toBe(
      true,
    );
    await expectIdle(page);
  });

  test('no audio type', async () => {
    const { page, dictation, lines } = await open(
      () => {},
      false,
      `delete self.AudioEncoder;
       DataView.prototype.setInt16 = () => { throw new Error('as the test wants it'); };`,
    );
    await dictation.dictate.click();
    await page.locator('.notice').first().waitFor();
    expect(await words(page, 'audio-type-missing')).toContain(
      'Webbläsaren kan inte spela in ljud.',
    );
    expect(lines('error').some((line) => line.startsWith('No supported audio type found'))).toBe(
      true,
    );
    await expectIdle(page);
  });

  test('the microphone is refused', async () => {
    const { page, dictation, lines } = await open(() => {}, true);
    await dictation.dictate.click();
    expect(await words(page, 'microphone-denied')).toContain('Mikrofonen är inte tillåten.');
    expect(lines('error').some((line) => line.startsWith('Microphone permission denied'))).toBe(
      true,
    );
    await expectIdle(page);
  });

  test('no tab is shared', async () => {
    const { page, dictation, lines } = await open(() => {
      localStorage.setItem('diktera:settings', '{"tabSound":true}');
      navigator.mediaDevices.getDisplayMedia = async () => {
        throw new DOMException('no', 'NotAllowedError');
      };
    });
    await dictation.dictate.click();
    expect(await words(page, 'tab-sound-refused')).toContain('Fliken delades inte.');
    expect(lines('error').some((line) => line.startsWith('Tab capture refused'))).toBe(true);
    await expectIdle(page);
  });
});

describe('the recording goes on', () => {
  /** Ends a track as if it were unplugged: `stop` alone is silent. */
  const unplug = (page: Page, name: string) =>
    page.evaluate((key) => {
      const track = Reflect.get(globalThis, key) as MediaStreamTrack;
      track.stop();
      track.dispatchEvent(new Event('ended'));
    }, name);

  async function expectRecording(page: Page): Promise<void> {
    await page.locator('.recording-bar[data-phase="recording"]').waitFor();
    await dictationPage(page).recordUntil(4);
    await dictationPage(page).stopDictating();
    expect(await page.locator('.notice').count()).toBe(1);
  }

  test('the microphone is unplugged: the next best takes over, and the gap is said', async () => {
    const { page, dictation, lines } = await open(() => {
      const media = navigator.mediaDevices;
      const getUserMedia = media.getUserMedia.bind(media);
      media.getUserMedia = async (constraints) => {
        const stream = await getUserMedia(constraints);
        Object.assign(globalThis, { microphone: stream.getAudioTracks()[0] });
        return stream;
      };
    });
    await dictation.startDictating();
    await dictation.recordUntil(1);
    await unplug(page, 'microphone');
    expect(await words(page, 'microphone-switched')).toBe(
      'Mikrofonen byttes. Den förra försvann. Det du sade under bytet kan saknas, resten är kvar.',
    );
    expect(lines('warning')).toContainEqual(expect.stringMatching(/^The microphone went away/));
    await expectRecording(page);
  });

  test('the tab is no longer shared: the microphone stays', async () => {
    const { page, dictation } = await open(() => {
      localStorage.setItem('diktera:settings', '{"tabSound":true}');
      navigator.mediaDevices.getDisplayMedia = async () => {
        const { stream } = new AudioContext().createMediaStreamDestination();
        Object.assign(globalThis, { tab: stream.getAudioTracks()[0] });
        return stream;
      };
    });
    await dictation.startDictating();
    await unplug(page, 'tab');
    expect(await words(page, 'tab-sound-ended')).toBe(
      'Fliken delas inte längre. Inspelningen fortsätter med mikrofonen.',
    );
    await expectRecording(page);
  });
});

test('a clipboard that refuses is a console warning and nothing else', async () => {
  const { page, lines } = await open(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('as the test wants it'));
  });
  await page.getByRole('button', { name: 'Kopiera' }).click();
  await expect
    .poll(() => lines('warning'))
    .toContainEqual(expect.stringMatching(/^Copying failed/));
  expect(await page.getByRole('button', { name: 'Kopiera' }).isEnabled()).toBe(true);
  expect(await page.locator('.notice').count()).toBe(0);
});

test('from the keyboard alone: into the field, talk, stop, and out of the toolbar', async () => {
  const { page, dictation } = await open(() => {});
  const { keyboard } = page;
  await keyboard.press('Tab');
  await expect.poll(() => focusedText(page)).toBe('Diktera');
  await keyboard.press('Enter');
  await page.locator('.recording-bar[data-phase="recording"]').waitFor();
  await dictation.recordUntil(5);
  expect(await focusedText(page)).toBe('Diktera');
  await keyboard.press('Escape');
  await dictation.bar.waitFor({ state: 'detached', timeout: 60_000 });
  expect(await dictation.text()).toMatch(/^ \S/);
  expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('textbox');
});

const focusedText = (page: Page) =>
  page.evaluate(() => document.activeElement?.textContent?.trim());
