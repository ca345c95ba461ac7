import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import { resolve } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { SPOKEN_WORDS } from '../helpers/spoken-words.ts';
import { wordErrorRate } from '../helpers/word-error-rate.ts';
import { dictationPage } from './helpers/dictation-page.ts';
import { type RunningServer, startServer } from './helpers/server.ts';
import { openSpeakingBrowser, type SpeakingBrowser } from './helpers/speaking-browser.ts';

const BASE = '/vard/diktera';
const TOKEN = 'a-token-of-16-chars';

let server: RunningServer | null = null;
let proxy: Server | null = null;
let browser: SpeakingBrowser | null = null;
afterEach(async () => {
  await browser?.close();
  proxy?.closeAllConnections();
  proxy?.close();
  await server?.stop();
});

/** Has the server below the base path and nothing beside it; `strips` takes the path off. */
async function startProxy(to: string, strips: boolean): Promise<string> {
  proxy = createServer((incoming, outgoing) => {
    const { url = '', method, headers } = incoming;
    if (!url.startsWith(`${BASE}/`)) return outgoing.writeHead(404).end();
    const path = strips ? url.slice(BASE.length) : url;
    const onward = request(to, { method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}${BASE}/`;
}

test.each([
  ['takes the path off', true, {}],
  ['passes the path on', false, { BASE_PATH: BASE, API_TOKENS: TOKEN }],
])(
  'below a path, where the proxy %s: signed in, dictated, opened again',
  async (_, strips, env) => {
    server = await startServer(undefined, env);
    // The server says where it is with its base path, as an operator is to read it.
    const { origin } = new URL(server.url);
    const url = await startProxy(origin, strips);
    browser = await openSpeakingBrowser({
      wavPath: resolve('tests/fixtures/dictation-one.wav'),
      url,
      isApp: true,
    });
    const { page, errors } = browser;
    if ('API_TOKENS' in env) {
      await page.getByLabel('Åtkomstnyckel').fill(TOKEN);
      await page.getByRole('button', { name: 'Logga in' }).click();
      expect(await page.context().cookies(origin)).toEqual([]);
    }
    const dictation = dictationPage(page);
    await dictation.field.click();
    await dictation.startDictating();
    await dictation.recordUntil(6);
    await dictation.stopDictating();
    const words = SPOKEN_WORDS['dictation-one'];
    expect(wordErrorRate(words, await dictation.text())).toBeLessThanOrEqual(0.2);

    // The page as an app: its service worker has this path for its own.
    const scope = await page.evaluate(async () => (await navigator.serviceWorker.ready).scope);
    expect(scope).toBe(url);
    if ('API_TOKENS' in env) await page.getByRole('button', { name: 'Logga ut' }).waitFor();
    await page.getByRole('button', { name: 'Alternativ' }).click();
    await page.getByText('Om Diktera', { exact: true }).click();
    await page.getByRole('link', { name: 'Hur snabb är taldetekteringen här?' }).click();
    await page.waitForURL(`${url}benchmark.html`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const own = errors.filter((error) => !/401/.test(error));
    expect(own).toEqual([]);
  },
  120_000,
);
