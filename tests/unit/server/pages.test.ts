import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { AppOptions } from '../../../server/app.ts';
import { createFakeEngine, type FakeEngine } from '../../helpers/fake-engine.ts';
import {
  postSpeech,
  type RunningServer,
  speechForm,
  startServer,
} from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

describe('files', () => {
  const SCRIPT = 'export const words = "Diktera ".repeat(3);';
  const STYLE = ':root{color:#1c2024}';
  const INLINE_SCRIPT = "for(const word of ['å'])console.info(word)";
  const PAGE = `<!doctype html><title>Diktera</title><style>${STYLE}</style><script type="module" src="/assets/app-1a2b.js"></script><script>${INLINE_SCRIPT}</script>`;
  let folder: string;
  let webRoot: string;
  let server: RunningServer;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'diktera-test-'));
    webRoot = join(folder, 'web');
    const files: Record<string, string | Uint8Array> = {
      'index.html': PAGE,
      'index.html.br': brotliCompressSync(PAGE),
      'benchmark.html': '<!doctype html><title>Benchmark</title>',
      'service-worker.js': SCRIPT,
      'service-worker.js.br': brotliCompressSync(SCRIPT),
      'favicon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
      'assets/app-1a2b.js': SCRIPT,
      'assets/app-1a2b.js.br': brotliCompressSync(SCRIPT),
      'assets/app-1a2b.js.gz': gzipSync(SCRIPT),
      'assets/only-3c.mjs': SCRIPT,
      'assets/kernel-5d.wasm': new Uint8Array([0, 97, 115, 109]),
      'models/silero.1a153a22.onnx': new Uint8Array(64),
      'lib/1.2.3-rc.1/diktera.js': SCRIPT,
      'lib/1.2.3-rc.1/assets/worker.js': SCRIPT,
      '.env': 'SECRET=1',
      '../secret.txt': 'secret',
    };
    for (const [name, content] of Object.entries(files)) {
      const path = join(webRoot, name);
      await mkdir(join(path, '..'), { recursive: true });
      await writeFile(path, content);
    }
    server = await startServer({
      engine: createFakeEngine().engine,
      pages: { kind: 'folder', webRoot },
    });
  });

  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  /** A path exactly as written; fetch would tidy it up first. */
  function rawGet(path: string, headers = {}): Promise<{ status: number; body: string }> {
    return new Promise((resolve, reject) => {
      const request = httpRequest(server.url, { path, headers, method: 'GET' }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (chunk) => {
          body += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      });
      request.on('error', reject).end();
    });
  }

  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(server.url + path, { headers });

  describe('what every answer carries', () => {
    test.each(['/', '/assets/app-1a2b.js', '/nothing', '/api/health', '/api/nothing'])(
      '%s is isolated and not sniffed',
      async (path) => {
        const { headers } = await get(path);
        expect(Object.fromEntries(headers)).toMatchObject({
          'cross-origin-opener-policy': 'same-origin',
          'cross-origin-embedder-policy': 'require-corp',
          'cross-origin-resource-policy': 'same-origin',
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'permissions-policy': 'microphone=(self), display-capture=(self)',
        });
      },
    );
  });

  test('the service worker may fetch from here, and nothing else', async () => {
    for (const encoding of ['br', 'identity']) {
      const { headers } = await get('/service-worker.js', { 'accept-encoding': encoding });
      expect(headers.get('content-encoding') ?? 'identity').toBe(encoding);
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; connect-src 'self'; img-src 'self'",
      );
    }
  });

  describe('caching', () => {
    test.each([
      ['/', 'no-cache'],
      ['/index.html', 'no-cache'],
      ['/benchmark.html', 'no-cache'],
      ['/favicon.svg', 'no-cache'],
      ['/service-worker.js', 'no-cache'],
      ['/assets/app-1a2b.js', 'public, max-age=31536000, immutable'],
      ['/models/silero.1a153a22.onnx', 'public, max-age=31536000, immutable'],
      ['/assets/gone-9f.js', 'no-store'],
      ['/api/health', 'no-store'],
    ])('%s: %s', async (path, wanted) => {
      expect((await get(path)).headers.get('cache-control')).toBe(wanted);
    });

    test('a page that has not changed is not sent again', async () => {
      const etag = (await get('/')).headers.get('etag') ?? '';
      expect(etag).not.toBe('');
      expect((await rawGet('/', { 'if-none-match': etag })).status).toBe(304);
    });
  });

  test.each([
    ['/', 'text/html; charset=utf-8'],
    ['/assets/app-1a2b.js', 'application/javascript; charset=utf-8'],
    ['/assets/only-3c.mjs', 'application/javascript; charset=utf-8'],
    ['/assets/kernel-5d.wasm', 'application/wasm'],
    ['/models/silero.1a153a22.onnx', 'application/octet-stream'],
  ])('%s is sent as %s', async (path, type) => {
    expect((await get(path)).headers.get('content-type')).toBe(type);
  });

  describe('the library, for pages elsewhere', () => {
    test('a version is for every page and for ever', async () => {
      const { status, headers } = await get('/lib/1.2.3-rc.1/diktera.js', {
        origin: 'https://elsewhere.example',
      });
      expect(status).toBe(200);
      expect(Object.fromEntries(headers)).toMatchObject({
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        'cache-control': 'public, max-age=31536000, immutable',
      });
    });

    test.each(['diktera.js', 'assets/worker.js'])(
      'a major version leads to %s of its newest, not for long',
      async (file) => {
        const answer = await get(`/lib/v1/${file}?x=1`, { origin: 'https://elsewhere.example' });
        expect(answer.url).toBe(`${server.url}/lib/1.2.3-rc.1/${file}`);
        const { status, headers } = await fetch(`${server.url}/lib/v1/${file}`, {
          redirect: 'manual',
        });
        expect(status).toBe(302);
        expect(headers.get('cache-control')).toBe('public, max-age=300');
        expect(headers.get('access-control-allow-origin')).toBe('*');
      },
    );

    test.each(['/lib/v2/diktera.js', '/lib/v1/gone.js', '/lib/'])(
      '%s is not there',
      async (path) => {
        expect((await get(path)).status).toBe(404);
      },
    );
  });

  describe('compressed neighbours', () => {
    test.each([
      ['br, gzip', 'br'],
      ['gzip', 'gzip'],
      ['identity', null],
    ])('for %s: %s', async (accepted, encoding) => {
      const answer = await get('/assets/app-1a2b.js', { 'accept-encoding': accepted });
      expect(answer.headers.get('content-encoding')).toBe(encoding);
      expect(answer.headers.get('content-type')).toBe('application/javascript; charset=utf-8');
      expect(answer.headers.get('vary')).toContain('accept-encoding');
      expect(answer.headers.get('cache-control')).toContain('immutable');
      expect(await answer.text()).toBe(SCRIPT);
    });

    test('a file without one is sent as it is', async () => {
      const answer = await get('/assets/only-3c.mjs', { 'accept-encoding': 'br, gzip' });
      expect(answer.headers.get('content-encoding')).toBeNull();
      expect(await answer.text()).toBe(SCRIPT);
    });
  });

  describe('what a page may load', () => {
    const policyOf = async (path: string, headers = {}) =>
      (await get(path, headers)).headers.get('content-security-policy');
    const hash = (inline: string) =>
      `'sha256-${createHash('sha256').update(inline).digest('base64')}'`;

    test('its own, and what is written in it; nothing else that is inline', async () => {
      const policy = (await policyOf('/')) ?? '';
      expect(policy.split('; ')).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          `script-src 'self' 'wasm-unsafe-eval' ${hash(INLINE_SCRIPT)}`,
          `style-src 'self' ${hash(STYLE)}`,
        ]),
      );
      expect(policy).not.toContain('unsafe-inline');
      expect(policy).not.toContain("'unsafe-eval'");
      for (const encoding of ['br', 'identity']) {
        expect(await policyOf('/index.html', { 'accept-encoding': encoding })).toBe(policy);
      }
    });

    test('each page has a policy of its own, and only pages have one', async () => {
      const policy = (await policyOf('/benchmark.html'))?.split('; ');
      expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval'");
      expect(policy).toContain("style-src 'self'");
      expect(await policyOf('/assets/app-1a2b.js')).toBeNull();
    });

    test('a page that is replaced meanwhile: as it is now; half of one ends nothing', async () => {
      const path = join(webRoot, 'index.html');
      try {
        await writeFile(path, PAGE.replace(STYLE, 'p{margin:0}'));
        expect(await policyOf('/')).toContain(`style-src 'self' ${hash('p{margin:0}')}`);
        await rm(path);
        const policy = await policyOf('/index.html', { 'accept-encoding': 'br' });
        expect(policy?.split('; ')).toContain("style-src 'self'");
        expect((await get('/benchmark.html')).status).toBe(200);
      } finally {
        await writeFile(path, PAGE);
      }
    });
  });

  describe('what is not there', () => {
    test.each([
      '/nothing',
      '/dictate/nothing',
      '/assets/',
      '/assets',
      '/.env',
      '/../secret.txt',
      '/..%2fsecret.txt',
      '/%2e%2e/secret.txt',
      '/assets/../../secret.txt',
      '/assets/..%5c..%5csecret.txt',
      '//etc/passwd',
      '/assets/app-1a2b.js%00.html',
    ])('%s gives a plain page that names nothing', async (path) => {
      const { status, body } = await rawGet(path);
      expect([400, 404]).toContain(status);
      expect(body).toMatch(/^[A-Z][\w ]+\.\n$/);
    });

    test('the error of a page is no JSON, that of the API is', async () => {
      expect((await get('/nothing')).headers.get('content-type')).toContain('text/plain');
      expect((await get('/api/nothing')).headers.get('content-type')).toContain('application/json');
    });

    test('a browser gets a page that says so in both languages, with a policy that lets it be seen', async () => {
      const answer = await get('/nothing', { accept: 'text/html,*/*;q=0.8' });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        404,
        'text/html; charset=utf-8',
      ]);
      const html = await answer.text();
      expect(html).toContain('Sidan finns inte');
      expect(html).toContain('This page does not exist');
      const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? [];
      const hash = createHash('sha256').update(style).digest('base64');
      expect(answer.headers.get('content-security-policy')).toContain(hash);
      const api = await get('/api/nothing', { accept: 'text/html' });
      expect(api.headers.get('content-type')).toContain('application/json');
    });

    test('without a build the API works and the pages are 404', async () => {
      const bare = await startServer({
        engine: createFakeEngine().engine,
        pages: { kind: 'folder', webRoot: join(folder, 'not-built') },
      });
      expect((await fetch(bare.url)).status).toBe(404);
      expect((await fetch(`${bare.url}/api/health`)).status).toBe(200);
      await bare.close();
    });
  });

  test('a handler answers everything outside the API', async () => {
    const dev = await startServer({
      engine: createFakeEngine().engine,
      pages: {
        kind: 'handler',
        handle: (request, response) => response.end(`page ${request.url}`),
      },
    });
    expect(await (await fetch(`${dev.url}/src/main.tsx?t=1`)).text()).toBe(
      'page /src/main.tsx?t=1',
    );
    expect((await fetch(`${dev.url}/api/health`)).status).toBe(200);
    await dev.close();
  });

  test('a part of a file that it does not have is 416, with how long the file is', async () => {
    const headers = { range: 'bytes=900-', 'accept-encoding': 'identity' };
    const answer = await fetch(`${server.url}/models/silero.1a153a22.onnx`, { headers });
    expect(answer.status).toBe(416);
    expect(answer.headers.get('content-range')).toBe('bytes */64');
  });
});

describe('signing in', () => {
  const WAV = waveFile(16_000, tone(440, 16_000, 0.2));
  const TOKEN = 'a-token-of-16-chars+/=%"';

  let webRoot: string;
  let fake: FakeEngine;
  let server: RunningServer;
  beforeAll(async () => {
    webRoot = await mkdtemp(join(tmpdir(), 'diktera-test-'));
    await writeFile(join(webRoot, 'index.html'), '<!doctype html><title>Diktera</title>');
    await writeFile(join(webRoot, 'review.html'), '<!doctype html><title>Review</title>');
    await writeFile(join(webRoot, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  });
  afterAll(() => rm(webRoot, { recursive: true }));
  afterEach(() => server.close());

  async function start(access: AppOptions['access'] = { apiTokens: [TOKEN] }, limits = {}) {
    fake = createFakeEngine();
    server = await startServer({
      engine: fake.engine,
      pages: { kind: 'folder', webRoot },
      limits,
      ...(access ? { access } : {}),
    });
  }
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(server.url + path, { headers, redirect: 'manual' });
  const signIn = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(`${server.url}/sign-in`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers,
      redirect: 'manual',
    });
  const cookieOf = (answer: Response) => answer.headers.get('set-cookie')?.split(';')[0] ?? '';

  describe('where tokens are needed', () => {
    test.each(['/', '/index.html', '/review.html', '/review.html?x=1', '/index%2Ehtml'])(
      '%s asks for one: 401, a page that works without scripts',
      async (path) => {
        await start();
        const answer = await get(path);
        const text = await answer.text();
        if (path.includes('%')) return expect(text).not.toContain('<title>Review');
        expect(answer.status).toBe(401);
        expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
        expect(answer.headers.get('cache-control')).toBe('no-store');
        expect(text).toContain(`name="next" value="${path}"`);
        expect(text).toMatch(/<html lang="sv">[\s\S]*<label for="token">Åtkomstnyckel<\/label>/);
        expect(text).not.toContain('<script');
        const policy = answer.headers.get('content-security-policy') ?? '';
        expect(policy).toMatch(/default-src 'none'; style-src 'sha256-[^']+'/);
        expect(policy).toContain("frame-ancestors 'none'");
      },
    );

    test('what pages are made of is open, and so are health and probes', async () => {
      await start();
      for (const path of ['/icon.svg', '/api/health', '/livez', '/readyz', '/openapi.json']) {
        expect([path, (await get(path)).status]).toEqual([path, 200]);
      }
    });

    test('signing in: a cookie for the session that opens page and API, and no script reads', async () => {
      await start();
      const answer = await signIn({ token: ` ${TOKEN} `, next: '/review.html?a=b' });
      expect(answer.status).toBe(303);
      expect(answer.headers.get('location')).toBe('./review.html?a=b');
      const [cookie, word, ...others] = answer.headers.getSetCookie();
      expect(cookie).toMatch(/^diktera_token=[^;]+; Path=\/; HttpOnly; SameSite=Strict$/);
      // For the page's own button; it says nothing of the token.
      expect(word).toMatch(/^diktera_signed_in=[0-9a-f]{16}; Path=\/; SameSite=Strict$/);
      expect(others).toEqual([]);
      const headers = { cookie: cookieOf(answer) };
      expect(await (await get('/review.html', headers)).text()).toContain('<title>Review');
      expect((await postSpeech(server, speechForm(WAV), { headers })).status).toBe(200);
      expect((await postSpeech(server, speechForm(WAV))).status).toBe(401);
    });

    test('what was dictated in one account is not taken under the token of another', async () => {
      await start({ apiTokens: [TOKEN, 'another-token-of-16'] });
      const accounts: string[] = [];
      for (const token of [TOKEN, 'another-token-of-16']) {
        const [, word = ''] = (await signIn({ token, next: '/' })).headers.getSetCookie();
        accounts.push(/=([^;]+)/.exec(word)?.[1] ?? '');
      }
      const [own = '', other = ''] = accounts;
      expect(own).not.toBe(other);
      const cookie = cookieOf(await signIn({ token: TOKEN, next: '/' }));
      const send = (account: string) =>
        postSpeech(server, speechForm(WAV), { headers: { cookie, 'diktera-account': account } });
      expect((await send(own)).status).toBe(200);
      const refused = await send(other);
      expect(refused.status).toBe(401);
      expect(refused.body).toMatchObject({ error: { code: 'other_account' } });
    });

    test('a proxy in front that sets the cookie itself needs no sign-in', async () => {
      await start();
      const headers = { cookie: `theme=dark; diktera_token=${encodeURIComponent(TOKEN)}; x=y` };
      expect((await get('/', headers)).status).toBe(200);
      expect((await get('/', { authorization: `Bearer ${TOKEN}` })).status).toBe(200);
    });

    test('behind TLS the cookie never goes over anything else', async () => {
      await start({ apiTokens: [TOKEN], trustProxy: 1 });
      const answer = await signIn({ token: TOKEN, next: '/' }, { 'x-forwarded-proto': 'https' });
      for (const cookie of answer.headers.getSetCookie()) expect(cookie).toMatch(/; Secure$/);
    });

    test('a wrong token: 401, no cookie, said so, and the page remembers where one wanted to go', async () => {
      await start();
      const answer = await signIn({ token: 'a-token-of-16-chars', next: '/review.html' });
      expect(answer.status).toBe(401);
      expect(answer.headers.has('set-cookie')).toBe(false);
      const text = await answer.text();
      expect(text).toMatch(/aria-invalid="true" aria-describedby="wrong"[\s\S]*role="alert"/);
      expect(text).toContain('value="/review.html"');
      expect(text).not.toContain('a-token-of-16-chars');
    });

    test.each([
      '//evil.example',
      '/\\evil.example',
      'https://evil.example/',
      'x',
      '/a\r\nb: c',
      '/.//evil.example',
    ])('signing in never leads to %j', async (next) => {
      await start();
      const answer = await signIn({ token: TOKEN, next });
      expect(answer.status).toBe(303);
      const location = answer.headers.get('location') ?? '';
      expect(new URL(location, server.url).origin).toBe(server.url);
      expect(location).not.toMatch(/evil/);
    });

    test('an address cannot write into the page', async () => {
      await start();
      const text = await (await get('/?"><script>alert(1)</script>')).text();
      expect(text).not.toContain('<script');
    });

    test('tries are limited', async () => {
      await start({ apiTokens: [TOKEN] }, { maxPerMinute: 3 });
      for (let tries = 0; tries < 3; tries++)
        expect((await signIn({ token: 'x' })).status).toBe(401);
      const refused = await signIn({ token: TOKEN });
      expect(refused.status).toBe(429);
      expect(refused.headers.has('retry-after')).toBe(true);
    });

    test('signing out takes the cookie away', async () => {
      await start();
      const answer = await fetch(`${server.url}/sign-out`, { method: 'POST', redirect: 'manual' });
      expect(answer.status).toBe(303);
      const [token, word] = answer.headers.getSetCookie();
      expect(token).toMatch(/^diktera_token=; .*Max-Age=0/);
      expect(word).toMatch(/^diktera_signed_in=; .*Max-Age=0/);
    });
  });

  describe('a page of another site, in a browser that is signed in', () => {
    const cookie = `diktera_token=${encodeURIComponent(TOKEN)}`;

    test.each<Record<string, string>>([
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'https://app.dikt.example.se', 'sec-fetch-site': 'same-site' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
    ])('%j gets nothing done with its cookie', async (headers) => {
      await start({ apiTokens: [TOKEN], allowedOrigins: ['https://app.dikt.example.se'] });
      const answer = await postSpeech(server, speechForm(WAV), { headers: { ...headers, cookie } });
      expect([401, 403]).toContain(answer.status);
      expect(fake.calls).toHaveLength(0);
      expect((await signIn({ token: TOKEN }, headers)).status).toBe(403);
      const out = { method: 'POST', headers: { ...headers, cookie } };
      expect((await fetch(`${server.url}/sign-out`, out)).status).toBe(403);
    });

    test('an allowed origin with a token of its own does', async () => {
      await start({ apiTokens: [TOKEN], allowedOrigins: ['https://app.dikt.example.se'] });
      const headers = { origin: 'https://app.dikt.example.se', authorization: `Bearer ${TOKEN}` };
      expect((await postSpeech(server, speechForm(WAV), { headers })).status).toBe(200);
    });
  });

  test('where none is needed there is nothing to sign in to', async () => {
    await start({});
    expect((await get('/')).status).toBe(200);
    expect((await get('/sign-in')).status).toBe(404);
  });
});

describe('a base path', () => {
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
    for (const cookie of answer.headers.getSetCookie())
      expect(cookie).toContain(`; Path=${BASE}/;`);
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
});
