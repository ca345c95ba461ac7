import { resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createFakeEngine } from '../helpers/fake-engine.ts';
import { startServer } from '../helpers/running-server.ts';
import { dictationPage } from './helpers/dictation-page.ts';
import { openSpeakingBrowser } from './helpers/speaking-browser.ts';

/** Anything that says to a person that a dictation waits. */
const WAITING = '.waiting-badge, .waiting li';

test('two dictations, one right after the other: nothing is said to wait, in no frame', async () => {
  const engine = createFakeEngine(null, 'sv');
  const server = await startServer({
    engine: engine.engine,
    pages: { kind: 'folder', webRoot: 'dist/web' },
  });
  onTestFinished(() => server.close());
  const browser = await openSpeakingBrowser({
    wavPath: resolve('tests/fixtures/dictation-one.wav'),
    url: server.url,
    locale: 'sv-SE',
  });
  onTestFinished(() => browser.close());
  const { page } = browser;
  const dictation = dictationPage(page);
  await dictation.field.click();
  await page.evaluate((waiting) => {
    const seen: string[] = [];
    const look = (): void => {
      const one = document.querySelector<HTMLElement>(waiting);
      if (one && seen.at(-1) !== one.innerText) seen.push(one.innerText);
      requestAnimationFrame(look);
    };
    look();
    Object.assign(window, { seen });
  }, WAITING);
  await dictation.startDictating();
  await dictation.recordUntil(2.5);
  await dictation.dictate.click();
  await page.locator('[data-phase="transcribing"]').waitFor();
  // The next one does not wait for the text of the first.
  await page.keyboard.press('F9');
  await page.locator('[data-phase="recording"]').waitFor();
  await expect.poll(() => engine.calls.length, { timeout: 20_000 }).toBeGreaterThan(0);
  await dictation.recordUntil(1.5);
  for (const call of engine.calls) call.answer('det första');
  await expect.poll(() => dictation.text(), { timeout: 20_000 }).toContain('det första');
  await dictation.recordUntil(2.5);
  const answered = engine.calls.length;
  await dictation.dictate.click();
  await expect.poll(() => engine.calls.length, { timeout: 20_000 }).toBeGreaterThan(answered);
  for (const call of engine.calls.slice(answered)) call.answer('det andra');
  await expect.poll(() => dictation.text(), { timeout: 20_000 }).toContain('det andra');
  await dictation.bar.waitFor({ state: 'detached' });
  const seen = await page.evaluate(() => (window as unknown as { seen: string[] }).seen);
  expect(seen).toEqual([]);
});
