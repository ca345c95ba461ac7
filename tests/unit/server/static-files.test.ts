import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFakeEngine } from '../../helpers/fake-engine.ts';
import { type RunningServer, startServer } from '../../helpers/running-server.ts';

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

  test.each(['/lib/v2/diktera.js', '/lib/v1/gone.js', '/lib/'])('%s is not there', async (path) => {
    expect((await get(path)).status).toBe(404);
  });
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
  expect(await (await fetch(`${dev.url}/src/main.tsx?t=1`)).text()).toBe('page /src/main.tsx?t=1');
  expect((await fetch(`${dev.url}/api/health`)).status).toBe(200);
  await dev.close();
});

test('a part of a file that it does not have is 416, with how long the file is', async () => {
  const headers = { range: 'bytes=900-', 'accept-encoding': 'identity' };
  const answer = await fetch(`${server.url}/models/silero.1a153a22.onnx`, { headers });
  expect(answer.status).toBe(416);
  expect(answer.headers.get('content-range')).toBe('bytes */64');
});
