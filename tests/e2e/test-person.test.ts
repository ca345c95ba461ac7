import { resolve } from 'node:path';
import type { Page } from 'playwright';
import { afterEach, expect, inject, test } from 'vitest';
import { dictationPage } from './helpers/dictation-page.ts';
import { openSpeakingBrowser, type SpeakingBrowser } from './helpers/speaking-browser.ts';

/** The steps of docs/test-person.md, in a browser whose microphone plays a file. */
const serverUrl = inject('serverUrl');
let browser: SpeakingBrowser;

afterEach(() => browser.close());

/** A shift that a person sees. */
const MOST_SHIFT = 0.02;
/** Press to "Listening" on a page that has recorded before, and stop to text, on a busy machine. */
const LISTENS_WITHIN_MS = 1_000;
const TEXT_WITHIN_MS = 8_000;

/** Keeps every layout shift, after a person's press or not, with what was shifted. */
const KEEP_SHIFTS = `
  globalThis.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries()) {
      const what = sources.map(({ node }) => node?.className || node?.nodeName).join(', ');
      globalThis.shifts.push({ value, what });
    }
  }).observe({ type: 'layout-shift', buffered: true });`;

type Shift = { readonly value: number; readonly what: string };

async function expectNoShift(page: Page, step: string): Promise<void> {
  const shifts = await page.evaluate<Shift[]>('shifts');
  expect(
    shifts.filter(({ value }) => value > MOST_SHIFT),
    step,
  ).toEqual([]);
}

/** The time in ms from a press to what it brings. */
async function timed(press: () => Promise<void>, brings: () => Promise<unknown>): Promise<number> {
  const atMs = performance.now();
  await press();
  await brings();
  return performance.now() - atMs;
}

test('the steps of the test person', { timeout: 300_000 }, async () => {
  browser = await openSpeakingBrowser({
    wavPath: resolve('tests/fixtures/dictation-two.wav'),
    url: 'about:blank',
    isAsFound: true,
  });
  const { page, context } = browser;
  await context.grantPermissions(['microphone', 'clipboard-read', 'clipboard-write']);
  await page.addInitScript(KEEP_SHIFTS);
  await page.goto(serverUrl);
  const { field, dictate, bar, recordUntil } = dictationPage(page);
  const text = () => field.innerText();
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const listening = page.locator('.note-foot[data-phase="recording"]');
  const atRest = () => bar.waitFor({ state: 'detached', timeout: 60_000 });

  // 1 and 2: in the browser's language, one microphone, the cursor in the note.
  expect(await page.locator('html').getAttribute('lang')).toBe('en');
  expect(await page.locator('.microphone').count()).toBe(1);
  expect(await dictate.innerText()).toContain('Dictate');
  await expect.poll(() => field.evaluate((each) => each === document.activeElement)).toBe(true);
  await page.locator('.foot-tools button').first().waitFor();
  await expectNoShift(page, 'the page has come');

  // 3 to 6: two presses.
  await dictate.click();
  await listening.waitFor();
  await recordUntil(3);
  expect(await dictate.innerText()).toContain('Done');
  await expectNoShift(page, 'it listens');
  const textMs = await timed(
    () => dictate.click(),
    () => expect.poll(text, { timeout: 60_000 }).not.toBe(''),
  );
  await atRest();
  const first = await text();
  expect(first).toMatch(/^\S/);
  await expectNoShift(page, 'the text has come');

  // 7 and 8: by its key, tapped and held.
  const listensMs = await timed(
    () => page.keyboard.press('F9'),
    () => listening.waitFor(),
  );
  await recordUntil(3);
  await page.keyboard.press('F9');
  await atRest();
  const second = await text();
  expect(second.startsWith(first.trimEnd())).toBe(true);
  expect(second).not.toMatch(/ {2}/);
  await page.keyboard.down('F9');
  await listening.waitFor();
  await recordUntil(3);
  await page.keyboard.up('F9');
  await atRest();
  expect((await text()).length).toBeGreaterThan(second.length);

  // 9 and 10: a pause.
  await dictate.click();
  await listening.waitFor();
  await recordUntil(3);
  await button('Pause').click();
  await button('Resume').click();
  await listening.waitFor();
  await dictate.click();
  await atRest();
  await expectNoShift(page, 'a pause');

  // 11 to 13: thrown away, had back, taken out.
  const before = await text();
  await dictate.click();
  await listening.waitFor();
  await recordUntil(3);
  await page.keyboard.press('Escape');
  await button('Undo').waitFor();
  expect(await text()).toBe(before);
  await expectNoShift(page, 'thrown away');
  await button('Undo').click();
  await expect
    .poll(async () => (await text()).length, { timeout: 60_000 })
    .toBeGreaterThan(before.length);
  await field.focus();
  await page.keyboard.press('Control+z');
  expect((await text()).trimEnd()).toBe(before.trimEnd());

  await expectNoShift(page, 'had back');

  // 14 to 16: the note survives, is copied, put away and had back.
  await page.reload();
  await expect.poll(text).toBe(before);
  await page.locator('.foot-tools').getByRole('button', { name: 'Copy' }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(before.trim());
  await button('New note').click();
  await expect.poll(async () => (await text()).trim()).toBe('');
  await button('Undo').click();
  await expect.poll(async () => (await text()).trim()).toBe(before.trim());
  await button('New note').click();
  await expect.poll(async () => (await text()).trim()).toBe('');
  await page.getByText('Earlier notes', { exact: true }).click();
  await page.getByRole('button', { name: /^Bring back/ }).click();
  await expect.poll(async () => (await text()).trim()).toBe(before.trim());

  await expectNoShift(page, 'notes');

  // 17: the dictations.
  await page.getByRole('button', { name: /^Dictations/ }).click();
  await page.getByRole('button', { name: /^Play/ }).first().waitFor();

  await expectNoShift(page, 'the dictations');

  // 18 and 19: options, language and microphone first; then all in Swedish.
  await button('Options').click();
  const groups = page.locator('.options legend');
  await groups.first().waitFor();
  expect((await groups.allInnerTexts()).slice(0, 2)).toEqual(['Language', 'Microphone']);
  await button('Test the microphone').click();
  await expect
    .poll(() => page.locator('meter').evaluate((each: HTMLMeterElement) => each.value))
    .toBeGreaterThan(0);
  await page.getByRole('combobox', { name: 'Interface language' }).selectOption('sv');
  await page.keyboard.press('Escape');
  await page.getByText('Servern förstår inte svenska än').waitFor();
  await page.getByRole('button', { name: /^Hämta svenska/ }).waitFor();

  console.log(
    `Listens after ${Math.round(listensMs)} ms, text after ${Math.round(textMs)} ms, shifts: ` +
      JSON.stringify(await page.evaluate('shifts')),
  );
  await expectNoShift(page, 'options, and the panel for Swedish');
  expect(listensMs).toBeLessThan(LISTENS_WITHIN_MS);
  expect(textMs).toBeLessThan(TEXT_WITHIN_MS);
});
