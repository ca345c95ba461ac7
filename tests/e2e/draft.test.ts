import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { CHROMIUM_ARGUMENTS } from '../../tools/testing/browser-project.ts';
import { createKillableBrowser } from '../faults/helpers/killable-browser.ts';

const url = inject('serverUrl');

/** A browser with a profile on disk, which can be killed. */
async function openBrowser(profile: string) {
  const executablePath = process.env.DIKTERA_BROWSER;
  const context = await chromium.launchPersistentContext(profile, {
    ...(executablePath ? { executablePath } : {}),
    args: [...CHROMIUM_ARGUMENTS],
    serviceWorkers: 'block',
  });
  onTestFinished(() => context.close().catch(() => {}));
  return context;
}

async function newProfile(): Promise<string> {
  const profile = await mkdtemp(join(tmpdir(), 'diktera-draft-'));
  onTestFinished(() => rm(profile, { recursive: true, force: true }));
  return profile;
}

async function openPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

const fieldOf = (page: Page) => page.getByRole('textbox');
const textOf = (page: Page) => fieldOf(page).innerText();

async function write(page: Page, text: string): Promise<void> {
  await fieldOf(page).click();
  await page.keyboard.type(text);
}

/** Waits until a draft with this text is where it survives a crash. */
async function untilStored(page: Page, text: string): Promise<void> {
  const stored = () =>
    page.evaluate(
      () =>
        new Promise<string[]>((resolve) => {
          const opening = indexedDB.open('diktera-drafts');
          opening.onsuccess = () => {
            const all = opening.result.transaction('drafts').objectStore('drafts').getAll();
            all.onsuccess = () => {
              opening.result.close();
              resolve(all.result.map((draft: { text: string }) => draft.text));
            };
          };
        }),
    );
  await expect.poll(stored, { timeout: 5_000 }).toContain(text);
}

describe('what stands in the field', () => {
  test('survives a reload, at once and in its order', async () => {
    const page = await openPage(await openBrowser(await newProfile()));
    await write(page, 'Rad ett');
    await page.keyboard.press('Enter');
    await page.keyboard.type('rad två');
    await page.reload();
    expect(await textOf(page)).toBe('Rad ett\nrad två');
    // Whoever goes on writing does so where the text ends, also in a field that was empty at first.
    await fieldOf(page).focus();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.type(', mer');
    await page.reload();
    expect(await textOf(page)).toBe('Rad ett\nrad två, mer');
  });

  test('survives a browser that is killed', async () => {
    const browser = createKillableBrowser();
    onTestFinished(() => browser.dispose());
    await browser.start();
    const page = await browser.open(url);
    await write(page, 'Inget får gå förlorat');
    await untilStored(page, 'Inget får gå förlorat');
    await browser.kill();
    await browser.start();
    const again = await browser.open(url);
    await expect.poll(() => textOf(again)).toBe('Inget får gå förlorat');
  });

  test('of a tab that was closed comes back in the next page, once', async () => {
    const context = await openBrowser(await newProfile());
    const page = await openPage(context);
    await write(page, 'Stängd flik');
    await page.close({ runBeforeUnload: true });
    await expect.poll(() => context.pages().includes(page)).toBe(false);
    const next = await openPage(context);
    await expect.poll(() => textOf(next)).toBe('Stängd flik');
    const other = await openPage(context);
    await write(other, 'En annan');
    await untilStored(other, 'En annan');
    await Promise.all([next.reload(), other.reload()]);
    expect(await textOf(next)).toBe('Stängd flik');
    expect(await textOf(other)).toBe('En annan');
  });

  test('is gone when it was emptied', async () => {
    const context = await openBrowser(await newProfile());
    const page = await openPage(context);
    await write(page, 'Bort med det');
    await untilStored(page, 'Bort med det');
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.press('Delete');
    await untilStored(page, '');
    await page.reload();
    expect(await textOf(page)).toBe('');
    const next = await openPage(context);
    await fieldOf(next).click();
    expect(await textOf(next)).toBe('');
    expect(await next.evaluate(() => Object.keys(localStorage).join())).not.toContain('draft');
  });

  test('does not jump over what is written before the script comes', async () => {
    const context = await openBrowser(await newProfile());
    const page = await openPage(context);
    await write(page, 'Förut. ');
    await untilStored(page, 'Förut. ');
    let letScriptsCome = (): void => {};
    const scripts = new Promise<void>((resolve) => {
      letScriptsCome = resolve;
    });
    await page.route('**/assets/*.js', async (route) => {
      await scripts;
      await route.continue();
    });
    await page.reload({ waitUntil: 'commit' });
    await write(page, 'Nu');
    letScriptsCome();
    await expect.poll(() => textOf(page)).toBe('Förut. Nu');
    await page.keyboard.type('!');
    expect(await textOf(page)).toBe('Förut. Nu!');
  });

  test('needs no storage', async () => {
    const context = await openBrowser(await newProfile());
    await context.addInitScript(() => {
      const refuse = (): never => {
        throw new DOMException('denied', 'SecurityError');
      };
      for (const name of ['localStorage', 'sessionStorage', 'indexedDB']) {
        Object.defineProperty(window, name, { get: refuse });
      }
    });
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    await page.goto(url);
    await write(page, 'Ändå');
    await page.waitForFunction(() => document.querySelector('.toolbar') !== null);
    expect(await textOf(page)).toBe('Ändå');
    expect(errors.filter((message) => /draft/.test(message))).toEqual([]);
  });
});
