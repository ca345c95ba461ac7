import { resolve } from 'node:path';
import type { Page } from 'playwright';
import { afterEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import { SPOKEN_WORDS } from '../helpers/spoken-words.ts';
import { wordErrorRate } from '../helpers/word-error-rate.ts';
import { runFirstInWorker } from './helpers/change-file.ts';
import { dictationPage } from './helpers/dictation-page.ts';
import { startServer } from './helpers/server.ts';
import { openSpeakingBrowser, type SpeakingBrowser } from './helpers/speaking-browser.ts';

const serverUrl = inject('serverUrl');
let browser: SpeakingBrowser;

afterEach(() => browser.close());

/** The page, with code that its worker runs first. */
async function open(beforeAll: () => void = () => {}, workerScript = '', url = serverUrl) {
  browser = await openSpeakingBrowser({
    wavPath: resolve('tests/fixtures/dictation-one.wav'),
    url: 'about:blank',
  });
  const { page } = browser;
  await page.addInitScript(beforeAll);
  await runFirstInWorker(page, workerScript);
  await page.goto(url);
  const dictation = dictationPage(page);
  await dictation.field.click();
  return { page, dictation };
}

/** The browser says that it has so much room left for this site. */
const roomFor = (bytes: number) =>
  `StorageManager.prototype.estimate = async () => ({ quota: 1e9, usage: 1e9 - ${bytes} });`;

function workerOf(page: Page) {
  const worker = page.workers().find((each) => each.url().includes('dictation.worker'));
  if (!worker) throw new Error('There is no dictation worker');
  return worker;
}

const noticeWords = (page: Page, kind: string) =>
  page.locator(`[data-notice="${kind}"]`).innerText();

describe('a disk that fills up', () => {
  test('nearly full: said early, in words, and the recording goes on', async () => {
    const { page, dictation } = await open(undefined, roomFor(20_000_000));
    await dictation.startDictating();
    expect(await noticeWords(page, 'storage-low')).toContain('Disken är nästan full.');
    await dictation.recordUntil(6);
    await dictation.stopDictating();
    const heard = await dictation.text();
    expect(wordErrorRate(SPOKEN_WORDS['dictation-one'], heard), heard).toBeLessThanOrEqual(0.2);
  });

  test('room enough: nothing is said', async () => {
    const { page, dictation } = await open(undefined, roomFor(200_000_000));
    await dictation.startDictating();
    await dictation.recordUntil(3);
    expect(await page.locator('.notice').count()).toBe(0);
  });

  test('full: the recording stops by itself, and what was said is written down', async () => {
    const { page, dictation } = await open();
    await dictation.startDictating();
    await dictation.recordUntil(4);
    await workerOf(page).evaluate(() => {
      const { put } = IDBObjectStore.prototype;
      Object.assign(self, {
        heal: () => {
          IDBObjectStore.prototype.put = put;
        },
      });
      IDBObjectStore.prototype.put = function () {
        this.transaction.abort();
        throw new DOMException('The disk is full', 'QuotaExceededError');
      };
    });
    await dictation.bar.waitFor({ state: 'detached', timeout: 60_000 });
    expect(await noticeWords(page, 'storage-full')).toContain('Disken är full.');
    await page.waitForFunction(
      () => (document.querySelector('[role="textbox"]')?.textContent ?? '').length > 10,
    );

    await workerOf(page).evaluate(() => (self as unknown as { heal(): void }).heal());
    await dictation.startDictating();
    await dictation.recordUntil(3);
    expect(await page.locator('.notice').count(), 'room again: nothing is said').toBe(0);
  });
});

describe('leaving the page', () => {
  /** Asks to close the page as a person would, which stays; whether the browser asked back. */
  async function isAsked(page: Page): Promise<boolean> {
    const asked = page.waitForEvent('dialog').then(async (dialog) => {
      expect(dialog.type()).toBe('beforeunload');
      await dialog.dismiss();
      return true;
    });
    const closed = page.waitForEvent('close').then(() => false);
    await page.close({ runBeforeUnload: true });
    return Promise.race([asked, closed]);
  }

  test('is asked about while recording, and not when the text is in the field', async () => {
    const { page, dictation } = await open();
    await dictation.startDictating();
    await dictation.recordUntil(2);
    expect(await isAsked(page)).toBe(true);
    await dictation.recordUntil(4);
    await dictation.stopDictating();
    expect(await dictation.text()).not.toBe('');
    expect(await isAsked(page)).toBe(false);
  });

  test('is asked about while something is in memory alone, and not once it is on the disk', async () => {
    const server = await startServer();
    onTestFinished(() => server.stop());
    const { page, dictation } = await open(undefined, undefined, server.url);
    await dictation.startDictating();
    await dictation.recordUntil(4);
    const worker = workerOf(page);
    await worker.evaluate(() => {
      const begin = IDBDatabase.prototype.transaction;
      Object.assign(self, {
        heal: () => {
          IDBDatabase.prototype.transaction = begin;
        },
      });
      IDBDatabase.prototype.transaction = () => {
        throw new DOMException('Connection to Indexed Database server lost', 'UnknownError');
      };
    });
    await server.stop();
    await dictation.stopDictating();
    await page.locator('.waiting li').waitFor();
    expect(await isAsked(page)).toBe(true);

    await worker.evaluate(() => (self as unknown as { heal(): void }).heal());
    await page.locator('[data-notice="storage-failed"]').waitFor({ state: 'detached' });
    expect(await page.locator('.waiting li').count()).toBe(1);
    await expect.poll(() => isAsked(page).catch(() => false), { timeout: 20_000 }).toBe(false);
  });

  test('is not asked about where nobody has dictated', async () => {
    const { page, dictation } = await open();
    await dictation.field.pressSequentially('hej');
    expect(await isAsked(page)).toBe(false);
  });
});

test('the browser is asked to keep what is stored, once, when somebody records', async () => {
  const { page, dictation } = await open(() => {
    const asked: number[] = [];
    Object.assign(globalThis, { asked });
    const { persist } = StorageManager.prototype;
    StorageManager.prototype.persist = function () {
      asked.push(1);
      return persist.call(this);
    };
  });
  const timesAsked = () =>
    page.evaluate(() => (globalThis as unknown as { asked: number[] }).asked.length);
  expect(await timesAsked()).toBe(0);
  for (let round = 0; round < 2; round += 1) {
    await dictation.startDictating();
    await dictation.recordUntil(2);
    await dictation.stopDictating();
    expect(await timesAsked()).toBe(1);
  }
});
