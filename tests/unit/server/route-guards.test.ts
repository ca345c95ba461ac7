import { afterEach, describe, expect, test } from 'vitest';
import type { AppOptions } from '../../../server/app.ts';
import { createFakeEngine, type FakeEngine } from '../../helpers/fake-engine.ts';
import { formBody, postHead, rawConnection } from '../../helpers/raw-http.ts';
import { type RunningServer, startServer } from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

const BODY = formBody(waveFile(16_000, tone(440, 16_000, 0.5)));

let fake: FakeEngine;
let server: RunningServer;
afterEach(() => server.close());
async function start(options: Partial<AppOptions> = {}) {
  fake = createFakeEngine();
  server = await startServer({ engine: fake.engine, ...options });
}

/** Status and text of the answer to bytes exactly as given. */
async function exchange(bytes: string | Uint8Array, url = server.url) {
  const connection = await rawConnection(url, bytes);
  await expect.poll(connection.status).not.toBeNull();
  await expect.poll(connection.text).toMatch(/\r\n\r\n[\s\S]*[}\n]$|content-length: 0/i);
  connection.socket.destroy();
  return { status: connection.status(), text: connection.text() };
}
const post = (request: Parameters<typeof postHead>[1]) =>
  exchange(Buffer.concat([Buffer.from(postHead(BODY.length, request)), BODY]));

describe('a page of another site', () => {
  const spellings = [
    '/api/asr/vad',
    '/%61pi/asr/vad',
    '/%61%70%69/%61%73%72/%76%61%64',
    '/api/%61sr/vad',
    '/api/asr/va%64',
    '//api/asr/vad',
    '/api//asr/vad',
    '/API/asr/vad',
    '/Api/Asr/Vad',
    '/./api/asr/vad',
    '/x/../api/asr/vad',
    '/%2e/api/asr/vad',
    '/api%2fasr%2fvad',
    '/api/asr/vad/',
    '/api/asr/vad?a=b',
    '/api/asr/vad;x=y',
    '/api/asr/vad#x',
    'http://localhost/api/asr/vad',
    'http://localhost/%61pi/asr/vad',
    '\\api\\asr\\vad',
    '/%5capi/asr/vad',
    '/%2561pi/asr/vad',
  ];

  test.each(spellings)('POST %s is never transcribed', async (path) => {
    await start();
    const { status } = await post({ path, headers: { Origin: 'https://evil.example' } });
    expect([400, 403, 404]).toContain(status);
    expect(fake.calls).toHaveLength(0);
  });

  test('the same from this server, spelt as the router reads it, is', async () => {
    await start();
    const { status } = await post({
      path: '/%61pi/asr/vad',
      headers: { Origin: 'http://localhost' },
    });
    expect(status).toBe(200);
  });
});

describe('names the server answers to', () => {
  const statusOf = async (host: string, path = '/api/health') =>
    (await exchange(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).status;

  test.each([
    ['localhost', 200],
    ['localhost:5180', 200],
    ['LOCALHOST.', 200],
    ['app.localhost', 200],
    ['127.0.0.1:1', 200],
    ['127.9.9.9', 200],
    ['[::1]:5180', 200],
    ['evil.example', 403],
    ['evil.example:5180', 403],
    ['localhost.evil.example', 403],
    ['127.0.0.1.evil.example', 403],
    ['evillocalhost', 403],
    ['192.0.2.7', 403],
    ['diktera', 403],
  ])('%s: %i', async (host, status) => {
    await start();
    expect(await statusOf(host)).toBe(status);
  });

  test('a rebound name gets no transcript, no page and no figures', async () => {
    await start({ pages: { kind: 'handler', handle: (_, response) => response.end('page\n') } });
    const refused = await post({
      host: 'evil.example',
      headers: { Origin: 'http://evil.example' },
    });
    expect(refused.status).toBe(403);
    expect(refused.text).toMatch(/host_not_allowed[\s\S]*evil\.example[\s\S]*PUBLIC_HOSTS/);
    expect(fake.calls).toHaveLength(0);
    expect(await statusOf('evil.example', '/')).toBe(403);
    const figures = await exchange(
      'GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n',
      server.adminUrl,
    );
    expect(figures.status).toBe(403);
  });

  test('a forwarded name does not make up for a wrong one', async () => {
    await start({ access: { trustProxy: 1 } });
    const { status } = await post({
      host: 'evil.example',
      headers: { 'X-Forwarded-Host': 'localhost' },
    });
    expect(status).toBe(403);
  });

  test('PUBLIC_HOSTS opens names, and all below one', async () => {
    await start({ access: { publicHosts: ['dikt.example.se', '*.example.org'] } });
    expect(await statusOf('dikt.example.se')).toBe(200);
    expect(await statusOf('Dikt.Example.se:443')).toBe(200);
    expect(await statusOf('a.b.example.org')).toBe(200);
    expect(await statusOf('example.org')).toBe(403);
    expect(await statusOf('evilexample.org')).toBe(403);
    expect(await statusOf('x.dikt.example.se')).toBe(403);
  });

  test('who listens on all addresses answers to addresses, as probes and phones send them', async () => {
    await start({ access: { host: '0.0.0.0' } });
    expect(await statusOf('192.0.2.7:5180')).toBe(200);
    expect(await statusOf('[2001:db8::7]')).toBe(200);
    expect(await statusOf('evil.example')).toBe(403);
  });

  test('the name it listens on is its own; a request without a name is no browser', async () => {
    await start({ access: { host: 'dikt.lan' } });
    expect(await statusOf('dikt.lan:5180')).toBe(200);
    expect((await exchange('GET /api/health HTTP/1.0\r\n\r\n')).status).toBe(200);
  });
});
