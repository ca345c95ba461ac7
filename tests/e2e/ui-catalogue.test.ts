import { resolve } from 'node:path';
import type { Page, Route } from 'playwright';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { runFirstInWorker } from './helpers/change-file.ts';
import { dictationPage } from './helpers/dictation-page.ts';
import { openSpeakingBrowser, type SpeakingBrowser } from './helpers/speaking-browser.ts';

/** The rows of the table of errors in docs/behaviour.md that a page can show: log line and notice. */
const serverUrl = inject('serverUrl');
let browser: SpeakingBrowser;

afterEach(() => browser.close());

type Broken = {
  readonly refusesMicrophone?: boolean;
  /** Put before the worker's own script. */
  readonly workerScript?: string;
  /** Answers instead of the server's. */
  readonly routes?: readonly (readonly [RegExp, (route: Route) => unknown])[];
};

/** The page with something broken before it loads, and everything that is logged. */
async function open(breakIt: () => void, broken: Broken = {}) {
  const { refusesMicrophone = false, workerScript = '', routes = [] } = broken;
  browser = await openSpeakingBrowser({
    wavPath: resolve('tests/fixtures/dictation-two.wav'),
    url: 'about:blank',
    refusesMicrophone,
  });
  const { page } = browser;
  const logged: { readonly type: string; readonly text: string }[] = [];
  page.on('console', (message) => logged.push({ type: message.type(), text: message.text() }));
  await page.addInitScript(breakIt);
  if (workerScript !== '') await runFirstInWorker(page, workerScript);
  for (const [address, answer] of routes) await page.route(address, answer);
  await page.goto(serverUrl);
  const dictation = dictationPage(page);
  await dictation.field.click();
  const lines = (type: string) =>
    logged.filter((line) => line.type === type).map(({ text }) => text);
  return { page, dictation, lines };
}

/** The text of a kind of notice. */
async function words(page: Page, kind: string): Promise<string> {
  return (await page.locator(`[data-notice="${kind}"]`).innerText()).trim();
}

/** A notice is there a moment before the recording is over. */
async function expectIdle(page: Page): Promise<void> {
  await dictationPage(page).bar.waitFor({ state: 'detached' });
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
    const { page, dictation, lines } = await open(() => {}, {
      workerScript: `delete self.AudioEncoder;
         DataView.prototype.setInt16 = () => { throw new Error('as the test wants it'); };`,
    });
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
    const { page, dictation, lines } = await open(() => {}, { refusesMicrophone: true });
    await dictation.dictate.click();
    expect(await words(page, 'microphone-denied')).toContain('Mikrofonen är inte tillåten.');
    expect(lines('error').some((line) => line.startsWith('Microphone permission denied'))).toBe(
      true,
    );
    await expectIdle(page);
  });

  test('no tab is shared', async () => {
    const { page, dictation, lines } = await open(() => {
      localStorage.setItem('diktera:settings', '{"tabSound":true,"interfaceLanguage":"sv"}');
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
    await page.locator('[data-phase="recording"]').waitFor();
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
      'Mikrofonen byttes. Det du sa under bytet kan saknas, resten är kvar.',
    );
    expect(lines('warning')).toContainEqual(expect.stringMatching(/^The microphone went away/));
    await expectRecording(page);
  });

  test('the microphone is muted by the system: said, and gone when it is on again', async () => {
    const { page, dictation } = await open(() => {
      const media = navigator.mediaDevices;
      const getUserMedia = media.getUserMedia.bind(media);
      media.getUserMedia = async (constraints) => {
        const stream = await getUserMedia(constraints);
        Object.assign(globalThis, { microphone: stream.getAudioTracks()[0] });
        return stream;
      };
    });
    const mute = (isMuted: boolean) =>
      page.evaluate((muted) => {
        const track = Reflect.get(globalThis, 'microphone') as MediaStreamTrack;
        Object.defineProperty(track, 'muted', { value: muted, configurable: true });
        track.dispatchEvent(new Event(muted ? 'mute' : 'unmute'));
      }, isMuted);
    await dictation.startDictating();
    await mute(true);
    await page.locator('[data-notice="microphone-muted"]').waitFor();
    expect(await words(page, 'microphone-muted')).toBe(
      'Mikrofonen är avstängd. Slå på den i datorns ljudinställningar eller på headsetet.',
    );
    await mute(false);
    await page.locator('[data-notice="microphone-muted"]').waitFor({ state: 'detached' });
    await dictation.stopDictating();
  });

  test('the tab is no longer shared: the microphone stays', async () => {
    const { page, dictation } = await open(() => {
      localStorage.setItem('diktera:settings', '{"tabSound":true,"interfaceLanguage":"sv"}');
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
  // The foot of the note has one, too.
  const copy = page.getByRole('toolbar').getByRole('button', { name: 'Kopiera' });
  await copy.click();
  await expect
    .poll(() => lines('warning'))
    .toContainEqual(expect.stringMatching(/^Copying failed/));
  expect(await copy.isEnabled()).toBe(true);
  expect(await page.locator('.notice').count()).toBe(0);
});

describe('what the worker meets', () => {
  const engineNotice =
    'Taldetekteringen fungerar inte. Du kan diktera ändå: allt ljud sparas och skickas.';

  async function dictateAll(page: Page): Promise<string> {
    const dictation = dictationPage(page);
    await dictation.startDictating();
    await dictation.recordUntil(5);
    await dictation.stopDictating();
    return dictation.text();
  }

  test('a misfire: logged, and nothing is made of it', async () => {
    const { page, lines } = await open(() => {
      // As with options of an embedder's own: more frames of speech are wanted than there are.
      const { postMessage } = Worker.prototype;
      Worker.prototype.postMessage = function (this: Worker, message, transfer) {
        for (const { value } of message?.argumentList ?? []) {
          if (value?.vad) value.vad = { ...value.vad, minSpeechFrames: 1_000 };
        }
        Reflect.apply(postMessage, this, [message, transfer]);
      } as typeof postMessage;
    });
    expect(await dictateAll(page)).toBe('');
    await expect.poll(() => lines('info')).toContainEqual(expect.stringMatching(/^VAD misfire/));
    expect(await page.locator('.notice, .waiting li').count()).toBe(0);
  });

  test('a status of no success: named with method and address, and all audio is kept', async () => {
    const { page, lines } = await open(() => {}, {
      routes: [[/silero|\.onnx/, (route) => route.fulfill({ status: 500, body: '' })]],
    });
    await page.locator('[data-notice="engine-failed"]').waitFor();
    expect(await words(page, 'engine-failed')).toBe(engineNotice);
    expect(lines('error')).toContainEqual(
      expect.stringMatching(
        /^The speech detector could not be loaded.*Request failed with status 500 Internal Server Error: GET http:\S+/s,
      ),
    );
    expect(await dictateAll(page)).toMatch(/project/);
  });

  test('a time-out: named with method and address, and the page says what it means', async () => {
    const { page, lines } = await open(() => {}, {
      routes: [[/\/api\/health/, () => {}]],
    });
    const told = () => lines('warning').find((line) => line.includes('/api/health'));
    await expect
      .poll(told, { timeout: 30_000 })
      .toMatch(
        /^The transcription server is of no use now Request timed out after 10000 ms: GET http:\S+\/api\/health$/,
      );
    // Told once, in the note.
    expect(await page.locator('[data-line="no-server"]').innerText()).toContain(
      'Servern svarar inte just nu.',
    );
    expect(await page.locator('.notice').count()).toBe(0);
  });

  test('the speech engine throws: never shown as it is, no word is lost, and the next one is new', async () => {
    const { page, lines } = await open(() => {}, {
      workerScript: `const { Instance } = WebAssembly;
       let kernels = 0;
       WebAssembly.Instance = function (...given) {
         const { exports } = new Instance(...given);
         if (!exports.infer || ++kernels > 1) return { exports };
         let left = 50;
         const infer = () => {
           if (--left < 0) throw new Error('as the test wants it');
           return exports.infer();
         };
         return { exports: { ...exports, infer } };
       };`,
    });
    expect(await dictateAll(page)).toMatch(/project/);
    expect(await words(page, 'engine-failed')).toBe(engineNotice);
    expect(lines('error')).toContainEqual(
      expect.stringMatching(/^Speech detection has failed; all audio is kept.*as the test wants/),
    );
    expect(await page.locator('body').innerText()).not.toContain('as the test wants');
    await dictateAll(page);
    await page.locator('[data-notice="engine-failed"]').waitFor({ state: 'detached' });
  });
});

test('from the keyboard alone: into the field, talk, stop, and out of the toolbar', async () => {
  const { page, dictation } = await open(() => {});
  const { keyboard } = page;
  // The toolbar comes a moment after the click.
  await page.locator('.sheet .toolbar').waitFor();
  await keyboard.press('Tab');
  await expect.poll(() => focusedText(page)).toBe('Diktera');
  await keyboard.press('Enter');
  await page.locator('[data-phase="recording"]').waitFor();
  await dictation.recordUntil(5);
  expect(await focusedText(page)).toBe('Klar');
  await keyboard.press('Enter');
  await dictation.bar.waitFor({ state: 'detached', timeout: 60_000 });
  expect(await dictation.text()).toMatch(/^\S/);
  await expect.poll(() => focusedText(page)).toBe('Diktera');
  await keyboard.press('Escape');
  const focusedRole = () => page.evaluate(() => document.activeElement?.getAttribute('role'));
  await expect.poll(focusedRole).toBe('textbox');
});

const focusedText = (page: Page) =>
  page.evaluate(() => document.activeElement?.textContent?.trim());
