import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { AppOptions } from '../../../server/app.ts';
import { createFakeEngine } from '../../helpers/fake-engine.ts';
import { type RunningServer, speechForm, startServer } from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

const BASE = '/vard/diktera';
const TOKEN = 'a-token-of-16-chars';
const WAV = waveFile(16_000, tone(440, 16_000, 0.2));

let webRoot: string;
let server: RunningServer;
beforeAll(async () => {
  webRoot = await mkdtemp(join(tmpdir(), 'diktera-test-'));
  await writeFile(join(webRoot, 'index.html'), '<!doctype html><title>Diktera</title>');
  await writeFile(join(webRoot, 'benchmark.html'), '<!doctype html><title>Benchmark</title>');
});
afterAll(() => rm(webRoot, { recursive: true }));
afterEach(() => server.close());

async function start(options: Pick<AppOptions, 'access' | 'basePath'>) {
  const { engine } = createFakeEngine();
  server = await startServer({ engine, pages: { kind: 'folder', webRoot }, ...options });
}

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(server.url + path, { headers, redirect: 'manual' });

test.each([BASE, ''])('pages and API answer below the base path, and at %j', async (before) => {
  await start({ basePath: BASE });
  expect(await (await get(`${before}/`)).text()).toContain('<title>Diktera');
  expect(await (await get(`${before}/benchmark.html?x=1`)).text()).toContain('<title>Benchmark');
  for (const path of ['/api/health', '/livez', '/readyz', '/v1/models', '/openapi.json']) {
    expect([path, (await get(before + path)).status]).toEqual([path, 200]);
  }
  const body = speechForm(WAV);
  const answer = await fetch(`${server.url}${before}/api/asr/vad`, { method: 'POST', body });
  expect(answer.status).toBe(200);
  // Errors keep the form of their place.
  expect(await (await get(`${before}/api/nothing`)).json()).toHaveProperty('error.code');
});

test('what only begins alike is not below it', async () => {
  await start({ basePath: BASE });
  expect((await get(`${BASE}x/api/health`)).status).toBe(404);
  expect((await get(`/vard/api/health`)).status).toBe(404);
});

test('the base path without its slash leads to the page', async () => {
  await start({ basePath: BASE });
  const answer = await get(BASE);
  expect([answer.status, answer.headers.get('location')]).toEqual([308, `${BASE}/`]);
});

test('the WebSocket is below it too', async () => {
  await start({ basePath: BASE });
  const address = `${server.url.replace('http', 'ws')}${BASE}/v1/realtime?intent=transcription`;
  const socket = new WebSocket(address);
  const first = await new Promise<string>((resolve, reject) => {
    socket.once('message', (data) => resolve(String(data)));
    socket.once('error', reject);
  });
  socket.close();
  expect(JSON.parse(first)).toHaveProperty('type');
});

test('signing in leads below it, and its cookies go nowhere else on the host', async () => {
  await start({ basePath: BASE, access: { apiTokens: [TOKEN] } });
  const page = await (await get(`${BASE}/benchmark.html`)).text();
  expect(page).toContain('action="./sign-in"');
  const body = new URLSearchParams({ token: TOKEN, next: '/benchmark.html?a=b' });
  const address = `${server.url}${BASE}/sign-in`;
  const answer = await fetch(address, { method: 'POST', body, redirect: 'manual' });
  const location = new URL(answer.headers.get('location') ?? '', address);
  expect(location.pathname + location.search).toBe(`${BASE}/benchmark.html?a=b`);
  for (const cookie of answer.headers.getSetCookie()) expect(cookie).toContain(`; Path=${BASE}/;`);
});

test('the sign-in page of a path further down names what lies at the top', async () => {
  await start({ access: { apiTokens: [TOKEN] } });
  const page = await (await get('/a/b/c?d/e')).text();
  expect(page).toContain('action="../../sign-in"');
  expect(page).toContain('href="../../icon.svg"');
});

test('an address that is none, below the base path, is answered and not followed', async () => {
  await start({ basePath: BASE });
  const status = await new Promise<number>((resolve, reject) => {
    const ask = httpRequest(server.url, { path: `${BASE}//evil.example/` }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    ask.on('error', reject).end();
  });
  expect(status).toBe(404);
});
