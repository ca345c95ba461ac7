import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type BrowserContext, type CDPSession, chromium, type Page } from 'playwright';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { CHROMIUM_ARGUMENTS } from '../../tools/testing/browser-project.ts';
import { SPOKEN_WORDS } from '../helpers/spoken-words.ts';
import { wordErrorRate } from '../helpers/word-error-rate.ts';
import { appPage } from './helpers/app-page.ts';
import { dictationPage } from './helpers/dictation-page.ts';

const serverUrl = inject('serverUrl');
const profile = mkdtempSync(join(tmpdir(), 'diktera-profile-'));
let context: BrowserContext;
let page: Page;
let session: CDPSession;

// A browser installs nothing from a private window, which other tests' pages are in.
beforeAll(async () => {
  const executablePath = process.env.DIKTERA_BROWSER;
  context = await chromium.launchPersistentContext(profile, {
    ...(executablePath ? { executablePath } : {}),
    args: [
      ...CHROMIUM_ARGUMENTS,
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      `--use-file-for-fake-audio-capture=${resolve('tests/fixtures/dictation-one.wav')}%noloop`,
    ],
    permissions: ['microphone'],
  });
  page = await context.newPage();
  session = await context.newCDPSession(page);
  await page.goto(serverUrl);
  await appPage(page).untilKept();
});
afterAll(async () => {
  await context?.close();
  rmSync(profile, { recursive: true, force: true });
});

test('the browser finds nothing that keeps the page from being installed', async () => {
  const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
  expect(installabilityErrors).toEqual([]);
});

test('it understands all of the manifest', async () => {
  const { errors, url, data = '' } = await session.send('Page.getAppManifest');
  expect(errors).toEqual([]);
  expect(url).toBe(`${serverUrl}/app.webmanifest`);
  const manifest = JSON.parse(data);
  expect(manifest).toMatchObject({ lang: 'sv', name: 'Diktera', display: 'standalone' });
  const pictures: { src: string; type: string; sizes: string }[] = [
    ...manifest.icons,
    ...manifest.screenshots,
    ...manifest.shortcuts.flatMap(({ icons }: { icons: [] }) => icons),
  ];
  for (const { src, type, sizes } of pictures) {
    const size = await page.evaluate(async (address) => {
      const answer = await fetch(address);
      const { width, height } = await createImageBitmap(await answer.blob()).catch(() => ({
        width: 0,
        height: 0,
      }));
      return { type: answer.headers.get('content-type'), is: `${width}x${height}` };
    }, src);
    expect(size.type, src).toBe(type);
    if (type === 'image/png') expect(size.is, src).toBe(sizes);
  }
});

test('its shortcut opens a new dictation: one press, and it records', async () => {
  await page.goto(`${serverUrl}/?ny`);
  const dictation = dictationPage(page);
  await dictation.startDictating();
  await dictation.recordUntil(1);
  await dictation.stopDictating();
});

test('a file that another program shares with it becomes text in the note, once', {
  timeout: 120_000,
}, async () => {
  // An empty note: another one would keep its text for itself.
  await page.goto(serverUrl);
  await dictationPage(page).field.fill('');
  // As the system does it: a form is sent, by a navigation that no page of ours begins, to the address
  // in the manifest.
  await page.goto('about:blank');
  await page.setContent(
    `<form method="post" enctype="multipart/form-data" action="${serverUrl}/share"><input type="file" name="files"></form>`,
  );
  await page.locator('input').setInputFiles(resolve('tests/fixtures/dictation-one.wav'));
  await page.evaluate(() => document.forms[0]?.submit());
  await page.getByText('dictation-one.wav is done.').waitFor({ timeout: 90_000 });
  const { text } = dictationPage(page);
  const words = SPOKEN_WORDS['dictation-one'];
  await expect.poll(async () => wordErrorRate(words, await text())).toBeLessThanOrEqual(0.25);
  // Nothing of the share is left in the address, and loaded anew it is not there again.
  expect(page.url()).toBe(`${serverUrl}/`);
  await page.reload();
  await expect.poll(async () => wordErrorRate(words, await text())).toBeLessThanOrEqual(0.25);
  expect(await page.getByText('dictation-one.wav').count()).toBe(0);
});

test('what is shared and cannot be read opens the page with one sentence about it', async () => {
  await page.goto('about:blank');
  await page.setContent(
    `<form method="post" enctype="text/plain" action="${serverUrl}/share"><input name="files" value="none"></form>`,
  );
  await page.evaluate(() => document.forms[0]?.submit());
  await page.getByText('What was shared could not be taken in.').waitFor();
  expect(page.url()).toBe(`${serverUrl}/`);
  await page.reload();
  await dictationPage(page).field.waitFor();
  expect(await page.getByText('What was shared').count()).toBe(0);
});
