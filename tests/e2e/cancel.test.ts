import { resolve } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { createFakeEngine } from '../helpers/fake-engine.ts';
import { startServer } from '../helpers/running-server.ts';
import { dictationPage } from './helpers/dictation-page.ts';
import { openSpeakingBrowser } from './helpers/speaking-browser.ts';

let url: string;
const engine = createFakeEngine('Det som sades.', 'sv');
beforeAll(async () => {
  const pages = { kind: 'folder', webRoot: 'dist/web' } as const;
  const server = await startServer({ engine: engine.engine, pages });
  url = server.url;
  return () => server.close();
});

async function speakAndCancel() {
  const wavPath = resolve('tests/fixtures/dictation-one.wav');
  const browser = await openSpeakingBrowser({ wavPath, url, locale: 'sv-SE' });
  onTestFinished(() => browser.close());
  const { page } = browser;
  const dictation = dictationPage(page);
  await dictation.field.click();
  await page.keyboard.type('Förut.');
  await dictation.startDictating();
  await dictation.recordUntil(3);
  await page.keyboard.press('Escape');
  const undo = page.getByRole('button', { name: 'Ångra', exact: true });
  await undo.waitFor();
  expect(await dictation.bar.count()).toBe(0);
  expect(await dictation.text()).toBe('Förut.');
  return { page, dictation, undo };
}

test('Escape throws a recording away; had back within 10 s, its text goes to its place', async () => {
  const { dictation, undo } = await speakAndCancel();
  await undo.click();
  await expect.poll(() => dictation.text(), { timeout: 20_000 }).toBe('Förut. Det som sades.');
});

test('after that it lies in the bin, from where it comes back too, and nothing was inserted', async () => {
  const { page, dictation, undo } = await speakAndCancel();
  await undo.waitFor({ state: 'detached', timeout: 20_000 });
  expect(await dictation.text()).toBe('Förut.');
  expect(await page.locator('.waiting-badge, .waiting li').count()).toBe(0);
  await page.getByRole('button', { name: 'Dikteringar' }).click();
  const back = page.locator('.bin-line button');
  await back.waitFor();
  await back.click();
  const row = page.locator('li[data-dictation]');
  await row.waitFor();
  await expect.poll(() => row.innerText()).toContain('Det som sades.');
  expect(await dictation.text()).toBe('Förut.');
});

test('a page that goes before that leaves nothing that waits: the next one has it in its bin', async () => {
  const { page, dictation } = await speakAndCancel();
  await page.reload();
  await page.getByRole('button', { name: 'Dikteringar' }).click();
  await page.locator('.bin-line button').waitFor({ timeout: 30_000 });
  expect(await page.locator('.waiting-badge, .waiting li').count()).toBe(0);
  expect(await dictation.text()).toBe('Förut.');
});
