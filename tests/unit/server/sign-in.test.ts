import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { AppOptions } from '../../../server/app.ts';
import { createFakeEngine, type FakeEngine } from '../../helpers/fake-engine.ts';
import {
  postSpeech,
  type RunningServer,
  speechForm,
  startServer,
} from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

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
    for (let tries = 0; tries < 3; tries++) expect((await signIn({ token: 'x' })).status).toBe(401);
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
