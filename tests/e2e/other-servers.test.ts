import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, resolve } from 'node:path';
import type { Page } from 'playwright';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../helpers/until.ts';
import { dictateIntoNote, untilRecorded } from './helpers/dictation-page.ts';
import { buildEmbedPage } from './helpers/embed-page.ts';
import { openSpeakingBrowser, type SpeakingBrowser } from './helpers/speaking-browser.ts';

const TEXT = 'ett två tre';
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
};

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

let folder: string;
let browser: SpeakingBrowser;
const servers: Server[] = [];

beforeAll(async () => {
  folder = await buildEmbedPage('embed-page-elsewhere');
});
afterEach(async () => {
  await browser.close();
});
afterAll(() => {
  for (const server of servers) server.close();
});

/** Somebody's server; answers with its address. */
async function serve(handle: Handle): Promise<string> {
  const server = createServer(handle);
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The page's files; nothing else is there. */
const serveFiles: Handle = ({ url = '/' }, response) => {
  const path = join(folder, url.replace(/[?#].*$/, '').replace(/\/$/, '/index.html'));
  if (!existsSync(path) || !statSync(path).isFile()) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'application/octet-stream' });
  createReadStream(path).pipe(response);
};

/** Reads a request to its end, then answers. */
function afterBody(request: IncomingMessage, answer: () => void): void {
  request.resume();
  request.on('end', answer);
}

async function open(url: string): Promise<{ page: Page; warnings: string[] }> {
  browser = await openSpeakingBrowser({
    wavPath: resolve('tests/fixtures/dictation-two.wav'),
    url: 'about:blank',
  });
  const { page } = browser;
  const warnings: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'warning') warnings.push(message.text());
  });
  await page.goto(url);
  return { page, warnings };
}

const noteOf = (page: Page) => page.getByRole('textbox', { name: 'Anteckning' }).inputValue();

describe('a server of another origin that has only the endpoint, for all origins', () => {
  test.each(['answers', 'loses its first answer'])('%s: the text is there once', async (how) => {
    const asked: string[] = [];
    let worked = 0;
    const api = await serve((request, response) => {
      const { method = '', url = '' } = request;
      asked.push(`${method} ${url}`);
      if (method !== 'POST' || url !== '/api/asr/vad') {
        response.writeHead(method === 'OPTIONS' ? 405 : 404).end();
        return;
      }
      afterBody(request, () => {
        worked += 1;
        if (how !== 'answers' && worked === 1) return request.socket.destroy();
        response.writeHead(200, { 'access-control-allow-origin': '*' });
        response.end(JSON.stringify({ transcription: TEXT }));
      });
    });
    const { page, warnings } = await open(`${await serve(serveFiles)}/?to=${api}/api/asr/vad`);
    await dictateIntoNote(page, () => untilRecorded(page, 5));
    await until(async () => (await noteOf(page)).trim() === TEXT, { timeout: 20_000 });
    expect(asked.filter((each) => !each.startsWith('GET'))).toEqual(
      new Array(how === 'answers' ? 1 : 2).fill('POST /api/asr/vad'),
    );
    const looks = asked.filter((each) => each.startsWith('GET'));
    if (how === 'answers') expect(looks.length).toBeLessThanOrEqual(2);
    expect(warnings).toEqual([]);
    expect(await page.locator('.notice').count()).toBe(0);
  });
});

describe('a sign-in that has expired', () => {
  let elsewhere: string;
  beforeAll(async () => {
    elsewhere = await serve((_request, response) => response.writeHead(200).end('<html>'));
  });

  test.each<[string, Handle]>([
    ['401', (_, response) => response.writeHead(401).end()],
    ['403', (_, response) => response.writeHead(403).end('<html>Forbidden</html>')],
    [
      'a redirect to another origin',
      (_, response) => response.writeHead(302, { location: `${elsewhere}/login` }).end(),
    ],
    [
      'a redirect to a page of the same',
      (_, response) => response.writeHead(302, { location: '/index.html' }).end(),
    ],
    [
      'a page with 200',
      (_, response) =>
        response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Log in</html>'),
    ],
  ])('%s: is said, waits, and goes on when somebody comes back', async (_what, refuse) => {
    let isSignedIn = false;
    let uploads = 0;
    const site = await serve((request, response) => {
      if (!request.url?.startsWith('/api/')) return serveFiles(request, response);
      afterBody(request, () => {
        if (request.method === 'POST') uploads += 1;
        if (!isSignedIn) return refuse(request, response);
        if (request.method !== 'POST') return response.writeHead(404).end();
        response.end(JSON.stringify({ transcription: TEXT }));
      });
    });
    const { page } = await open(`${site}/`);
    await dictateIntoNote(page, () => untilRecorded(page, 5));
    await page.getByText('Logga in igen').first().waitFor({ timeout: 20_000 });
    const before = uploads;
    expect(before).toBeLessThanOrEqual(5);
    await page.waitForTimeout(6_000);
    expect(uploads - before, 'not again and again').toBeLessThanOrEqual(1);
    expect((await noteOf(page)).trim()).toBe('');
    isSignedIn = true;
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await until(async () => (await noteOf(page)).trim() === TEXT, { timeout: 20_000 });
    await page.getByText('Logga in igen').first().waitFor({ state: 'detached', timeout: 10_000 });
  });
});

describe('a server of another origin that wants a token', () => {
  /** Takes one token, and says so to browsers that ask first. */
  async function serveTokens(taken: { token: string }) {
    const seen: (string | undefined)[] = [];
    const api = await serve((request, response) => {
      const cors = {
        'access-control-allow-origin': '*',
        'access-control-allow-headers': 'authorization',
      };
      if (request.method === 'OPTIONS') return response.writeHead(204, cors).end();
      if (request.method !== 'POST') return response.writeHead(404, cors).end();
      afterBody(request, () => {
        const { authorization } = request.headers;
        seen.push(authorization);
        const isTaken = authorization === `Bearer ${taken.token}`;
        response.writeHead(isTaken ? 200 : 401, cors);
        response.end(isTaken ? JSON.stringify({ transcription: TEXT }) : '');
      });
    });
    return { api, seen };
  }

  const dictateWith = async (api: string, token: string): Promise<Page> => {
    const address = `${await serve(serveFiles)}/?to=${api}/api/asr/vad&token=${token}`;
    const { page } = await open(address);
    await dictateIntoNote(page, () => untilRecorded(page, 5));
    return page;
  };
  const hasText = (page: Page) =>
    until(async () => (await noteOf(page)).trim() === TEXT, { timeout: 20_000 });

  test('gets it with each request', async () => {
    const { api, seen } = await serveTokens({ token: 'one' });
    await hasText(await dictateWith(api, 'one'));
    expect(new Set(seen)).toEqual(new Set(['Bearer one']));
  });

  test('that has run out: others are given, and what waits goes on by itself', async () => {
    const { api, seen } = await serveTokens({ token: 'two' });
    const page = await dictateWith(api, 'one');
    await page.getByText('Logga in igen').first().waitFor({ timeout: 20_000 });
    expect(seen).not.toContain('Bearer two');
    await page.evaluate("window.signIn('two')");
    await hasText(page);
    await page.getByText('Logga in igen').first().waitFor({ state: 'detached', timeout: 10_000 });
  });
});
