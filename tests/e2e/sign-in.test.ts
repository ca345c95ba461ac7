import { resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { SPOKEN_WORDS } from '../helpers/spoken-words.ts';
import { until } from '../helpers/until.ts';
import { wordErrorRate } from '../helpers/word-error-rate.ts';
import { accessibilityFindings } from './helpers/accessibility-findings.ts';
import { dictationPage, openAbout } from './helpers/dictation-page.ts';
import { type RunningServer, startServer } from './helpers/server.ts';
import { openSpeakingBrowser, type SpeakingBrowser } from './helpers/speaking-browser.ts';

const TOKEN = 'a-token-of-16-chars';
const OTHER = 'a-second-token-of-16';

let server: RunningServer;
let browser: SpeakingBrowser | null = null;

beforeAll(async () => {
  server = await startServer(undefined, { API_TOKENS: `${TOKEN},${OTHER}` });
});
afterAll(() => server.stop());
afterEach(async () => {
  await browser?.close();
  browser = null;
});

async function open(colorScheme: 'light' | 'dark') {
  browser = await openSpeakingBrowser({
    wavPath: resolve('tests/fixtures/dictation-one.wav'),
    url: server.url,
    colorScheme,
    viewport: { width: 320, height: 640 },
  });
  return browser.page;
}

test.each(['light', 'dark'] as const)('the sign-in page is for everyone (%s)', async (scheme) => {
  const page = await open(scheme);
  for (const state of ['asked', 'wrong']) {
    if (state === 'wrong') {
      await page.getByLabel('Åtkomstnyckel').fill('another-token-of-16');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').waitFor();
    }
    await page.screenshot({ path: `tests/artifacts/sign-in-${state}-${scheme}.png` });
    expect(await accessibilityFindings(page)).toEqual([]);
    const isWide = 'document.documentElement.scrollWidth > innerWidth';
    expect(await page.evaluate(isWide)).toBe(false);
    expect(await page.evaluate('document.activeElement.id')).toBe('token');
  }
});

test('signing in once: the page comes, and what is dictated is written', async () => {
  const page = await open('light');
  await page.getByLabel('Åtkomstnyckel').fill(TOKEN);
  await page.getByRole('button', { name: 'Logga in' }).click();
  const dictation = dictationPage(page);
  await dictation.field.click();
  await dictation.startDictating();
  await dictation.recordUntil(6);
  await dictation.stopDictating();
  const words = SPOKEN_WORDS['dictation-one'];
  expect(wordErrorRate(words, await dictation.text())).toBeLessThanOrEqual(0.2);
});

test('signing out: a button for who signed in, and then the sign-in page and no token', async () => {
  const page = await open('light');
  await page.getByLabel('Åtkomstnyckel').fill(TOKEN);
  await page.getByRole('button', { name: 'Logga in' }).click();
  const signOut = page.getByRole('button', { name: 'Logga ut' });
  await signOut.waitFor();
  await page.route('**/sign-out', (route) => route.abort(), { times: 1 });
  await signOut.click();
  await page.getByText('Det gick inte att logga ut just nu.').waitFor();
  await signOut.click();
  await page.getByLabel('Åtkomstnyckel').waitFor();
  expect(await page.context().cookies()).toEqual([]);
});

test('what waits is nobody else’s: the next person neither sees nor sends it, and it comes back', async () => {
  const page = await open('light');
  const signIn = async (token: string) => {
    await page.getByLabel('Åtkomstnyckel').fill(token);
    await page.getByRole('button', { name: 'Logga in' }).click();
    await dictationPage(page).field.waitFor();
  };
  const signOut = page.getByRole('button', { name: 'Logga ut', exact: true });
  const waiting = page.locator('.waiting-badge');
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/vad')) sent.push(request.url());
  });
  await signIn(TOKEN);
  await page.route('**/api/asr/vad', (route) => route.abort());
  const dictation = dictationPage(page);
  await dictation.field.click();
  await dictation.startDictating();
  await dictation.recordUntil(4);
  await dictation.stopDictating();
  await waiting.waitFor();
  await signOut.click();
  await page.getByText(/1 diktering ligger kvar .* väntar på text/).waitFor();
  await signOut.click();

  await page.unrouteAll();
  await page.getByLabel('Åtkomstnyckel').waitFor();
  await signIn(OTHER);
  sent.length = 0;
  // At rest, when all that is to be looked for has been.
  await signOut.waitFor();
  expect(await waiting.count()).toBe(0);
  expect(sent).toEqual([]);
  await signOut.click();

  await page.getByLabel('Åtkomstnyckel').waitFor();
  await signIn(TOKEN);
  await until(async () => sent.length > 0, { timeout: 20_000 });
  await page.getByText('1 väntar').first().waitFor();
  await signOut.click();
  await page.getByRole('button', { name: 'Ta bort dem och logga ut' }).click();
  await page.getByLabel('Åtkomstnyckel').waitFor();
  await signIn(TOKEN);
  await signOut.waitFor();
  expect(await waiting.count()).toBe(0);
});

test('whom a proxy has signed in finds no way out here', async () => {
  const page = await open('light');
  await page.context().setExtraHTTPHeaders({ authorization: `Bearer ${TOKEN}` });
  await page.goto(server.url);
  await openAbout(page);
  await page.getByRole('link', { name: 'Hur snabb är taldetekteringen här?' }).waitFor();
  expect(await page.getByRole('button', { name: 'Logga ut' }).count()).toBe(0);
});
