import { resolve } from 'node:path';
import type { Page } from 'playwright';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { createDeferred } from '../../src/core/async.ts';
import { DATABASE_NAME } from '../../src/core/contracts/database.ts';
import { until } from '../helpers/until.ts';
import { dictationPage } from './helpers/dictation-page.ts';
import { openSpeakingBrowser, type SpeakingBrowser } from './helpers/speaking-browser.ts';

/** The page as the build drew it, while its scripts are on their way, and as they come. */
const serverUrl = inject('serverUrl');
let browser: SpeakingBrowser;

afterEach(() => browser.close());

const EVERY_SCRIPT = /\/assets\/.+\.js$/;
/** All but the small one that runs first. */
const LATER_SCRIPT = /\/assets\/(dictation|page)-.+\.js$/;
/** The interface alone: there is somebody who can hear. */
const PAGE_SCRIPT = /\/assets\/page-.+\.js$/;

/** Presses the early Diktera as the real tools are drawn, which a press outside of them hides. */
const PRESS_AS_TOOLS_COME = `
  const drawn = new MutationObserver(() => {
    const early = document.querySelector('.toolbar.is-early button');
    if (!early || !document.querySelector('.sheet .toolbar')) return;
    drawn.disconnect();
    for (const happens of ['pointerdown', 'pointerup', 'click']) {
      early.dispatchEvent(new PointerEvent(happens, { bubbles: true, pointerType: 'mouse' }));
    }
  });
  drawn.observe(document, { childList: true, subtree: true });
`;

/** The page with some of its scripts held back until they are let go; `atFirst` runs before all. */
async function openWithout(scripts: RegExp, settings: object = {}, atFirst = '') {
  browser = await openSpeakingBrowser({
    wavPath: resolve('tests/fixtures/dictation-two.wav'),
    url: 'about:blank',
  });
  const { page } = browser;
  const held = createDeferred<'come' | 'fail'>();
  await page.route(scripts, async (route) => {
    const goesOn = (await held.promise) === 'come' ? route.continue() : route.abort();
    await goesOn.catch(() => {}); // The page may have been closed.
  });
  const text = JSON.stringify({ interfaceLanguage: 'sv', ...settings });
  await page.addInitScript((kept) => localStorage.setItem('diktera:settings', kept), text);
  await page.addInitScript(atFirst);
  await page.goto(serverUrl, { waitUntil: 'commit' });
  // Diktera at the caret; the other one is at the foot of the note.
  const dictate = page.locator('.toolbar').getByRole('button', { name: 'Diktera', exact: true });
  return {
    page,
    dictation: { ...dictationPage(page), dictate },
    foot: page.locator('.microphone'),
    letGo: () => held.resolve('come'),
    fail: () => held.resolve('fail'),
  };
}

/** The real toolbar, and none but it. */
async function untilTaken(page: Page): Promise<void> {
  await page.locator('.sheet .toolbar').waitFor();
  await page.locator('.toolbar.is-early').waitFor({ state: 'detached' });
}

const recording = (page: Page) => page.locator('[data-phase="recording"]');

describe('before the script', () => {
  test('it is drawn in its styles, whatever else is still on its way', async () => {
    const { page, dictation } = await openWithout(/\/assets\//);
    await dictation.field.waitFor();
    const look = () => {
      const { borderRadius, fontFamily } = getComputedStyle(document.querySelector('.field-text')!);
      return { borderRadius, fontFamily };
    };
    expect(await page.evaluate(look)).toEqual({
      borderRadius: expect.stringMatching(/^[1-9]\d*px$/),
      fontFamily: expect.stringContaining('system-ui'),
    });
    // A violation of the page's policy would be an error here.
    expect(browser.errors).toEqual([]);
  });

  test('one can write; text, caret and undo are there afterwards', async () => {
    const { page, dictation, letGo } = await openWithout(EVERY_SCRIPT);
    await dictation.field.click();
    await page.keyboard.type('ett tre');
    for (const _letter of 'tre') await page.keyboard.press('ArrowLeft');
    expect(await dictation.text()).toBe('ett tre');
    letGo();
    await untilTaken(page);
    await page.keyboard.type('två ');
    expect(await dictation.text()).toBe('ett två tre');
    for (let step = 0; (await dictation.text()) !== '' && step < 30; step += 1) {
      await page.keyboard.press('Control+z');
    }
    expect(await dictation.text()).toBe('');
    await page.keyboard.press('Control+Shift+z');
    expect(await dictation.text()).toContain('ett');
    expect(browser.errors).toEqual([]);
  });

  test('Diktera is there at the caret, and a press of it is seen at once and done later', async () => {
    const { page, dictation, letGo } = await openWithout(LATER_SCRIPT);
    await dictation.field.click();
    await page.keyboard.type('Först:');
    await dictation.dictate.click();
    expect(await dictation.dictate.getAttribute('aria-busy')).toBe('true');
    expect(await page.locator('.toolbar .spinner').isVisible()).toBe(true);
    const early = await page.locator('.toolbar.is-early').boundingBox();
    letGo();
    await recording(page).waitFor();
    await untilTaken(page);
    const real = await page.locator('.sheet .toolbar').boundingBox();
    expect(Math.abs((real?.x ?? 0) - (early?.x ?? -99))).toBeLessThanOrEqual(1);
    expect(Math.abs((real?.y ?? 0) - (early?.y ?? -99))).toBeLessThanOrEqual(1);
    await dictation.recordUntil(4);
    await dictation.stopDictating();
    expect(await dictation.text()).toMatch(/^Först: \S/);
    expect(browser.errors).toEqual([]);
  });

  test('pressed when the real tools are there and not to be seen yet, they do not go away for it', async () => {
    const { page, dictation, letGo } = await openWithout(LATER_SCRIPT, {}, PRESS_AS_TOOLS_COME);
    await dictation.field.click();
    letGo();
    await recording(page).waitFor();
    await untilTaken(page);
    expect(await dictation.bar.getAttribute('data-phase')).toBe('recording');
    await dictation.stopDictating();
    expect(browser.errors).toEqual([]);
  });

  test('what one opens has something in it when the page comes', async () => {
    const { page, letGo } = await openWithout(LATER_SCRIPT);
    const parts = page.locator('details.disclosure');
    for (const part of await parts.all()) await part.locator('summary').click();
    expect(await parts.locator(':scope > :not(summary)').count()).toBe(0);
    letGo();
    for (const part of await parts.all()) {
      await part.locator(':scope > :not(summary)').first().waitFor({ timeout: 10_000 });
    }
    expect(browser.errors).toEqual([]);
  });

  test('the microphone at the foot is there, and a press of it is seen at once and done later', async () => {
    const { page, dictation, foot, letGo } = await openWithout(LATER_SCRIPT);
    await foot.click();
    await page.locator('.microphone-wait').waitFor();
    expect(await dictation.field.evaluate((each) => each === document.activeElement)).toBe(true);
    letGo();
    await recording(page).waitFor();
    await dictation.recordUntil(4);
    await foot.click();
    await dictation.bar.waitFor({ state: 'detached', timeout: 60_000 });
    expect(await dictation.text()).toMatch(/^\S/);
    expect(browser.errors).toEqual([]);
  });

  test('the options pressed early open when the page comes', async () => {
    const { page, letGo } = await openWithout(LATER_SCRIPT);
    await page.getByRole('button', { name: 'Alternativ' }).click();
    letGo();
    await page.locator('dialog.options[open]').waitFor();
    expect(browser.errors).toEqual([]);
  });

  test('held by a finger as the page comes to life, it records until it is let go', async () => {
    const { page, dictation, letGo } = await openWithout(LATER_SCRIPT);
    await dictation.field.click();
    const { x = 0, y = 0 } = (await dictation.dictate.boundingBox()) ?? {};
    const touches = await page.context().newCDPSession(page);
    const touch = (type: string, touchPoints: readonly object[]) =>
      touches.send('Input.dispatchTouchEvent', { type, touchPoints } as never);
    await touch('touchStart', [{ x: x + 20, y: y + 20 }]);
    letGo();
    await recording(page).waitFor();
    await dictation.recordUntil(4);
    await touch('touchEnd', []);
    await dictation.bar.waitFor({ state: 'detached', timeout: 60_000 });
    await untilTaken(page);
    expect(await dictation.text()).toMatch(/\S/);
    expect(browser.errors).toEqual([]);
  });

  test.each([
    ['Escape', (page: Page) => page.keyboard.press('Escape')],
    ['going elsewhere', (page: Page) => page.locator('summary').first().focus()],
  ])('%s takes the press back', async (_how, leave) => {
    const { page, dictation, letGo } = await openWithout(LATER_SCRIPT);
    await dictation.field.click();
    await dictation.dictate.click();
    expect(await dictation.dictate.getAttribute('aria-busy')).toBe('true');
    await leave(page);
    await page.locator('.toolbar .spinner').waitFor({ state: 'detached' });
    letGo();
    await dictation.field.click();
    await untilTaken(page);
    expect(await dictation.dictate.getAttribute('aria-busy')).toBe('false');
    expect(await dictation.bar.count()).toBe(0);
  });
});

describe('a press before there is a field to take its text is begun all the same', () => {
  /** Pressed behind 'Först:', and what the page is then made to do as it asks for a microphone. */
  async function pressed(meanwhile = '') {
    const opened = await openWithout(LATER_SCRIPT, {}, whenListening(meanwhile));
    const { page, dictation, letGo } = opened;
    await dictation.field.click();
    await page.keyboard.type('Först:!');
    await page.keyboard.press('ArrowLeft');
    await dictation.dictate.click();
    letGo();
    await page.locator('html[data-toolbars]').waitFor();
    expect(await page.locator('html').getAttribute('data-toolbars')).toBe('0');
    return opened;
  }

  test('and its text stands at the caret', async () => {
    const { page, dictation } = await pressed();
    await recording(page).waitFor();
    await dictation.recordUntil(4);
    await dictation.stopDictating();
    expect(await dictation.text()).toMatch(/^Först: \S.*!$/);
    expect(browser.errors).toEqual([]);
  });

  test('goes on when one goes elsewhere', async () => {
    const { page, dictation } = await pressed("document.querySelector('summary').focus()");
    await recording(page).waitFor();
    await dictation.recordUntil(4);
    await dictation.stopDictating();
    await dictation.bar.waitFor({ state: 'detached', timeout: 60_000 });
    expect(await dictation.text()).toMatch(/^Först: \S.*!$/);
    expect(browser.errors).toEqual([]);
  });

  test('is thrown away by Escape, with its undo; the next one is one as any other', async () => {
    const { page, dictation } = await pressed(
      "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))",
    );
    await untilTaken(page);
    await page.getByRole('button', { name: 'Ångra', exact: true }).waitFor();
    expect(await dictation.bar.count()).toBe(0);
    expect(await dictation.text()).toBe('Först:!');
    await page.locator('.toolbar .tool-dictate[aria-busy="false"]').waitFor();
    await dictation.startDictating();
    await dictation.recordUntil(4);
    await dictation.stopDictating();
    expect(await dictation.text()).toMatch(/^Först: \S.*!$/);
    expect(browser.errors).toEqual([]);
  });
});

/** Has the page say how much of the field was there when it first asked for a microphone. */
function whenListening(meanwhile: string): string {
  return `
    const devices = navigator.mediaDevices;
    const listen = devices.getUserMedia.bind(devices);
    devices.getUserMedia = (asked) => {
      const { dataset } = document.documentElement;
      if (!dataset.toolbars) {
        dataset.toolbars = document.querySelectorAll('.sheet .toolbar').length;
        ${meanwhile};
      }
      return listen(asked);
    };`;
}

describe('heard before there is a page', () => {
  /** Pressed behind 'Först:', and spoken into for some seconds. */
  async function spokenInto() {
    const opened = await openWithout(PAGE_SCRIPT, {}, KEEP_TRACKS);
    const { page, dictation } = opened;
    await dictation.field.click();
    await page.keyboard.type('Först:!');
    await page.keyboard.press('ArrowLeft');
    await dictation.dictate.click();
    await page.locator('.toolbar.is-early .is-stop').waitFor();
    await until(async () => (await framesStored(page)) > 40, { timeout: 60_000 });
    return opened;
  }

  test('it is seen to record; a press ends that, and the page brings the text', async () => {
    const { page, dictation, foot, letGo } = await spokenInto();
    await dictation.picture('early-recording');
    await foot.click();
    await page.locator('.toolbar.is-early [aria-busy="true"]').waitFor();
    await until(() => isDeaf(page));
    letGo();
    await untilTaken(page);
    await dictation.bar.waitFor({ state: 'detached', timeout: 60_000 });
    await expect.poll(() => dictation.text(), { timeout: 60_000 }).toMatch(/^Först: \S.*!$/);
    expect(browser.errors).toEqual([]);
  });

  test('it is seen wherever one goes, and goes on when the page comes', async () => {
    const { page, dictation, letGo } = await spokenInto();
    await page.locator('summary').first().focus();
    expect(await page.locator('.microphone-stop').isVisible()).toBe(true);
    await dictation.picture('early-recording-elsewhere');
    await dictation.field.focus();
    letGo();
    await recording(page).waitFor();
    await untilTaken(page);
    await dictation.stopDictating();
    expect(await dictation.text()).toMatch(/^Först: \S.*!$/);
    expect(browser.errors).toEqual([]);
  });

  test('a page that never comes: nobody listens any more, and the next one offers the text', async () => {
    const { page, fail } = await spokenInto();
    fail();
    await page.getByRole('alert').getByText('Kopiera det du har skrivit').waitFor();
    await until(() => isDeaf(page));
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.reload();
    await page.locator('.waiting li').first().waitFor({ timeout: 60_000 });
  });
});

/** Keeps what was listened to, to be looked at. */
const KEEP_TRACKS = `
  const devices = navigator.mediaDevices;
  const listen = devices.getUserMedia.bind(devices);
  globalThis.tracks = [];
  devices.getUserMedia = async (asked) => {
    const stream = await listen(asked);
    globalThis.tracks.push(...stream.getTracks());
    return stream;
  };`;

const isDeaf = (page: Page) =>
  page.evaluate<boolean>(
    `tracks.length > 0 && tracks.every((each) => each.readyState === 'ended')`,
  );

/** The frames written so far; the page has opened its database by then. */
const framesStored = (page: Page) =>
  page.evaluate<number>(`new Promise((resolve, reject) => {
    const opening = indexedDB.open('${DATABASE_NAME}');
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const database = opening.result;
      const counting = database.transaction('audio').objectStore('audio').count();
      counting.onsuccess = () => {
        database.close();
        resolve(counting.result);
      };
    };
  })`);

describe('what was chosen', () => {
  const CHOSEN = { interfaceLanguage: 'en', pushToTalkKey: 'F8', fixSpelling: false, fast: false };

  test('holds: the language, the key held down early, and the options of what it records', async () => {
    const { page, dictation, letGo } = await openWithout(LATER_SCRIPT, CHOSEN);
    await dictation.field.click();
    await page.locator('.toolbar').getByText('Dictate').waitFor();
    await page.keyboard.down('F8');
    const sent = page.waitForRequest(/\/api\/asr\/vad/);
    letGo();
    await recording(page).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    await page.getByText('Options', { exact: true }).waitFor();
    await dictation.recordUntil(4);
    await page.keyboard.up('F8');
    const form = (await sent).postDataBuffer()?.toString('latin1') ?? '';
    expect(form).toMatch(/name="fixSpelling"\r\n\r\nfalse/);
    expect(form).toMatch(/name="fast"\r\n\r\nfalse/);
    await dictation.bar.waitFor({ state: 'detached', timeout: 60_000 });
    expect(browser.errors).toEqual([]);
  });
});

test('a script that never comes: said, and what was written stays', async () => {
  const { page, dictation, letGo } = await openWithout(EVERY_SCRIPT);
  await page.route(LATER_SCRIPT, (route) => route.abort());
  await dictation.field.click();
  await page.keyboard.type('viktigt');
  letGo();
  await page.getByRole('alert').getByText('Kopiera det du har skrivit').waitFor();
  await page.locator('.toolbar').waitFor({ state: 'detached' });
  expect(await dictation.text()).toBe('viktigt');
});

test('on a telephone no key is named, neither before the script nor after', async () => {
  browser = await openSpeakingBrowser({
    wavPath: resolve('tests/fixtures/dictation-two.wav'),
    url: 'about:blank',
  });
  const context = await browser.browser.newContext({
    locale: 'sv-SE',
    viewport: { width: 390, height: 800 },
    isMobile: true,
    hasTouch: true,
    serviceWorkers: 'block',
  });
  const page = await context.newPage();
  const held = createDeferred();
  await page.route(EVERY_SCRIPT, async (route) => {
    await held.promise;
    await route.continue().catch(() => {});
  });
  await page.goto(serverUrl, { waitUntil: 'commit' });
  const { field } = dictationPage(page);
  const named = () =>
    field.evaluate((each) => [each.dataset.placeholder, each.getAttribute('aria-placeholder')]);
  const text = 'Klicka här, tryck på Diktera och tala.';
  await expect.poll(named).toEqual([text, text]);
  expect(await page.locator('.microphone kbd:visible').count()).toBe(0);
  held.resolve();
  await page.locator('.foot-tools button').first().waitFor();
  expect(await named()).toEqual([text, text]);
  await page.screenshot({ path: 'tests/artifacts/page-telephone.png' });
  await context.close();
});

test('without scripts the page says what it needs', async () => {
  browser = await openSpeakingBrowser({
    wavPath: resolve('tests/fixtures/dictation-two.wav'),
    url: 'about:blank',
  });
  const context = await browser.browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(serverUrl);
  expect(await page.locator('noscript p').isVisible()).toBe(true);
  await context.close();
});
