import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OPEN_ACCESS } from '../../../server/access/callers.ts';
import { createPairing, pairingFile } from '../../../server/access/pairing.ts';
import { createFakeClock, type FakeClock } from '../../helpers/fake-clock.ts';
import { createFakeEngine } from '../../helpers/fake-engine.ts';
import {
  postSpeech,
  type RunningServer,
  speechForm,
  startServer,
} from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

const EXTENSION = `chrome-extension://${'abcdefghijklmnop'.repeat(2)}`;
const OTHER = `chrome-extension://${'p'.repeat(32)}`;
const WAV = waveFile(16_000, tone(440, 16_000, 0.5));
const TOKEN = 'a-token-of-16-chars';

let folder: string;
let file: string;
let clock: FakeClock;
let server: RunningServer;
let failures: unknown[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'diktera-pairing-'));
  file = join(folder, 'below', 'paired.json');
  clock = createFakeClock();
  failures = [];
  await start();
});

afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(apiTokens: readonly string[] = []): Promise<void> {
  server = await startServer({
    engine: createFakeEngine().engine,
    clock,
    access: { ...OPEN_ACCESS, apiTokens },
    pairing: createPairing({ file, clock, onFailure: (error) => failures.push(error) }),
  });
}

async function restart(): Promise<void> {
  await server.close();
  await start();
}

const page = (form: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(`${server.url}/pair`, { method: 'POST', body: new URLSearchParams(form), headers });

/** The code that the page shows, its blank left out. */
async function newCode(): Promise<string> {
  const html = await (await page({ code: 'new' })).text();
  const shown = /class="code" role="status">(\d{3} \d{3})</.exec(html)?.[1];
  if (shown === undefined) throw new Error(html);
  return shown.replace(' ', '');
}

async function say(code: string, origin = EXTENSION): Promise<Record<string, unknown>> {
  const answer = await fetch(`${server.url}/api/pair`, {
    method: 'POST',
    body: new URLSearchParams({ code }),
    headers: { origin },
  });
  return (await answer.json()) as Record<string, unknown>;
}

const otherThan = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

const speak = async (origin = EXTENSION): Promise<number> =>
  (await postSpeech(server, speechForm(WAV), { headers: { origin } })).status;

describe('an extension', () => {
  test('may ask once it has said the code, over a restart, until it is removed', async () => {
    expect(await speak()).toBe(403);
    const code = await newCode();
    expect(await say(` ${code.slice(0, 3)} ${code.slice(3)} `)).toEqual({
      isPaired: true,
      triesLeft: 0,
    });
    expect(await speak()).toBe(200);
    expect(await speak(OTHER)).toBe(403);
    const preflight = await fetch(`${server.url}/api/asr/vad`, {
      method: 'OPTIONS',
      headers: { origin: EXTENSION, 'access-control-request-method': 'POST' },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBe(EXTENSION);
    await restart();
    expect(await speak()).toBe(200);
    expect(statSync(file).mode & 0o077).toBe(0);
    const id = EXTENSION.slice(-32);
    expect(await (await fetch(`${server.url}/pair`)).text()).toContain(id);
    await page({ remove: id });
    expect(await speak()).toBe(403);
    await restart();
    expect(await speak()).toBe(403);
  });

  test('that may read all sites is none of the server’s own pages', async () => {
    const headers = { origin: EXTENSION, 'sec-fetch-site': 'none' };
    expect((await postSpeech(server, speechForm(WAV), { headers })).status).toBe(403);
    expect((await say(await newCode())).isPaired).toBe(true);
    expect((await postSpeech(server, speechForm(WAV), { headers })).status).toBe(200);
  });

  test('gets five tries, and the right code is of no use afterwards', async () => {
    const code = await newCode();
    expect(await say('')).toEqual({ isPaired: false, triesLeft: 5 });
    for (const triesLeft of [4, 3, 2, 1, 0])
      expect(await say(otherThan(code))).toEqual({ isPaired: false, triesLeft });
    expect(await say(code)).toEqual({ isPaired: false, triesLeft: 0 });
    expect(await speak()).toBe(403);
  });

  test('is in time for five minutes', async () => {
    const late = await newCode();
    await clock.advance(5 * 60_000);
    expect((await say(late)).isPaired).toBe(false);
    const inTime = await newCode();
    await clock.advance(5 * 60_000 - 1);
    expect((await say(inTime)).isPaired).toBe(true);
  });

  test('cannot use a code twice, or one that another has taken the place of', async () => {
    const first = await newCode();
    const second = await newCode();
    if (first !== second) expect((await say(first)).isPaired).toBe(false);
    expect((await say(second)).isPaired).toBe(true);
    expect((await say(second, OTHER)).isPaired).toBe(false);
    expect(await speak(OTHER)).toBe(403);
  });

  test('that guesses without end is slowed down, however many codes are shown', async () => {
    const answers: unknown[] = [];
    for (let at = 0; at < 30; at++) {
      await newCode();
      const { error } = await say('nothing');
      answers.push((error as { readonly code?: string } | undefined)?.code);
    }
    expect(answers.slice(0, 20)).toEqual(Array(20).fill(undefined));
    expect(answers.slice(20)).toEqual(Array(10).fill('rate_limited'));
  });

  test('is not paired where no code was ever shown', async () => {
    for (const code of ['', '000000', 'undefined', 'null'])
      expect(await say(code)).toEqual({ isPaired: false, triesLeft: 0 });
  });
});

describe('refused', () => {
  test.each([
    ['a page elsewhere', 'https://evil.example.com'],
    ['the server’s own page', 'own'],
    ['what looks like an extension', `${EXTENSION}.evil.example.com`],
    ['an extension of another browser', 'moz-extension://12345678-1234-1234-1234-123456789abc'],
    ['nobody', undefined],
  ] as const)('a code said by %s', async (_, given) => {
    const code = await newCode();
    const origin = given === 'own' ? server.url : given;
    const answer = await fetch(`${server.url}/api/pair`, {
      method: 'POST',
      body: new URLSearchParams({ code }),
      headers: origin === undefined ? {} : { origin },
    });
    expect(answer.status).toBe(403);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  test.each([
    ['another site', { origin: 'https://evil.example.com' }],
    ['an extension', { origin: EXTENSION }],
    ['an extension that may read all sites', { origin: EXTENSION, 'sec-fetch-site': 'none' }],
    ['another site, as the browser says', { 'sec-fetch-site': 'cross-site' }],
    ['a proxy on this machine', { 'x-forwarded-for': '192.0.2.1' }],
  ] as const)('a code wanted by %s', async (_, headers) => {
    const answer = await page({ code: 'new' }, headers);
    expect(answer.status).toBe(403);
    expect(await answer.text()).not.toMatch(/\d{3} \d{3}/);
  });

  test('everything from elsewhere: the page says where to go, and a paired extension may not ask', async () => {
    expect((await say(await newCode())).isPaired).toBe(true);
    const through = { 'x-forwarded-for': '192.0.2.1' };
    const seen = await fetch(`${server.url}/pair`, { headers: through });
    expect([seen.status, await seen.text()]).toEqual([403, expect.stringContaining('localhost')]);
    const headers = { ...through, origin: EXTENSION };
    expect((await postSpeech(server, speechForm(WAV), { headers })).status).toBe(403);
    expect(await statusOf('/api/pair', { host: 'evil.example.com', origin: EXTENSION })).toBe(403);
  });

  test('without the token that the server wants, page and extension alike', async () => {
    await server.close();
    await start([TOKEN]);
    const unknown = await page({ code: 'new' });
    expect([unknown.status, await unknown.text()]).toEqual([
      401,
      expect.stringContaining('Logga in'),
    ]);
    const html = await (await page({ code: 'new' }, { cookie: `diktera_token=${TOKEN}` })).text();
    const code = /(\d{3} \d{3})</.exec(html)?.[1] ?? '';
    expect((await say(code)).isPaired).toBe(true);
    expect(await speak()).toBe(401);
  });
});

/** As `fetch`, which lets nobody set the host. */
function statusOf(path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = httpRequest(`${server.url}${path}`, { method: 'POST', headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    asked.once('error', reject);
    asked.end();
  });
}

test('the page runs nothing, is in nobody’s frame, and speaks the browser’s language', async () => {
  const swedish = await fetch(`${server.url}/pair`, { headers: { 'accept-language': 'sv-SE,sv' } });
  expect(await swedish.text()).toContain('Visa en kod');
  const policy = swedish.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('script-src');
  expect(swedish.headers.get('cache-control')).toBe('no-store');
  expect(await (await fetch(`${server.url}/pair`)).text()).toContain('Show a code');
  const wrongMethod = await fetch(`${server.url}/api/pair`);
  expect([wrongMethod.status, wrongMethod.headers.get('allow')]).toEqual([405, 'POST']);
});

test('a file that cannot be read or written: it is said, and pairing holds until the end', async () => {
  writeFileSync(join(folder, 'below'), 'a file where the folder should be');
  expect((await say(await newCode())).isPaired).toBe(true);
  expect(await speak()).toBe(200);
  expect(failures.length).toBeGreaterThan(0);
});

test('what is no id in the file does not count', async () => {
  await server.close();
  const id = EXTENSION.slice(-32);
  file = join(folder, 'mixed.json');
  writeFileSync(file, JSON.stringify({ extensions: [id, 'https://evil.example.com', 7, null] }));
  await start();
  expect(await speak()).toBe(200);
  expect((await say(await newCode(), OTHER)).isPaired).toBe(true);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ extensions: [id, OTHER.slice(-32)] });
});

test('the file stands in the platform’s folder', () => {
  expect(pairingFile({ HOME: '/home/a' }, 'linux')).toBe(
    '/home/a/.local/state/diktera/paired-extensions.json',
  );
  expect(pairingFile({ HOME: '/home/a', XDG_STATE_HOME: '/state' }, 'linux')).toBe(
    '/state/diktera/paired-extensions.json',
  );
  expect(pairingFile({ HOME: '/Users/a' }, 'darwin')).toContain('Application Support');
});
