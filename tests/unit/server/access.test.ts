import { afterEach, describe, expect, test } from 'vitest';
import { OPEN_ACCESS } from '../../../server/access/callers.ts';
import { createRateLimit } from '../../../server/access/client-limits.ts';
import type { AppOptions } from '../../../server/app.ts';
import { createFakeClock } from '../../helpers/fake-clock.ts';
import { createFakeEngine } from '../../helpers/fake-engine.ts';
import {
  postSpeech,
  type RunningServer,
  speechForm,
  startServer,
} from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

const WAV = waveFile(16_000, tone(440, 16_000, 0.5));
const OPEN = OPEN_ACCESS;
const TOKEN = 'a-token-of-16-chars';

let server: RunningServer;
afterEach(() => server.close());
async function start(options: Partial<AppOptions>) {
  server = await startServer({ engine: createFakeEngine().engine, ...options });
}
const send = (headers: Record<string, string> = {}) =>
  postSpeech(server, speechForm(WAV), { headers });

describe('the rate limit', () => {
  test('429 with the seconds until the next one, and room again after them', async () => {
    const clock = createFakeClock();
    await start({ clock, limits: { maxPerMinute: 2 } });
    expect((await send()).status).toBe(200);
    expect((await send()).status).toBe(200);
    const refused = await send();
    expect([refused.status, refused.body.error?.code]).toEqual([429, 'rate_limited']);
    expect(refused.headers.get('retry-after')).toBe('30');
    await clock.advance(30_000);
    expect((await send()).status).toBe(200);
    expect((await send()).status).toBe(429);
    expect((await fetch(`${server.url}/api/health`)).status).toBe(200);
  });

  test('counts clients behind a trusted proxy apart, and believes nobody else', async () => {
    await start({ limits: { maxPerMinute: 1 }, access: { ...OPEN, trustProxy: 1 } });
    const from = (ip: string) => send({ 'x-forwarded-for': ip });
    expect((await from('192.0.2.1')).status).toBe(200);
    expect((await from('192.0.2.2')).status).toBe(200);
    expect((await from('192.0.2.1')).status).toBe(429);
    await server.close();
    await start({ limits: { maxPerMinute: 1 } });
    expect((await from('192.0.2.1')).status).toBe(200);
    expect((await from('192.0.2.2')).status).toBe(429);
  });

  test('a clock set back gives nothing and takes nothing', async () => {
    await start({});
    const clock = createFakeClock();
    const limit = createRateLimit(1, clock);
    limit.take('a');
    clock.jump(-3_600_000);
    expect(() => limit.take('a')).toThrow(/a minute/);
    await clock.advance(60_000);
    limit.take('a');
  });

  test('a hundred thousand clients are counted, and no more than ten thousand kept', async () => {
    await start({});
    const limit = createRateLimit(1, createFakeClock());
    for (let client = 0; client < 100_000; client++) limit.take(`client ${client}`);
    expect(() => limit.take('client 99999')).toThrow();
    expect(() => limit.take('client 0')).not.toThrow();
  }, 30_000);
});

describe('tokens', () => {
  test.each([
    ['none', undefined],
    ['a wrong one', 'Bearer another-token-of-16'],
    ['a part of one', `Bearer ${TOKEN.slice(0, -1)}`],
    ['another scheme', `Basic ${TOKEN}`],
    ['nothing after the scheme', 'Bearer '],
  ])('%s: 401', async (_, authorization) => {
    await start({ access: { ...OPEN, apiTokens: [TOKEN] } });
    const { status, body, headers } = await send(authorization ? { authorization } : {});
    expect([status, body.error?.code]).toEqual([401, 'unauthorized']);
    expect(headers.get('www-authenticate')).toBe('Bearer');
  });

  test('any of the list passes; health stays open, figures are on another port', async () => {
    await start({ access: { ...OPEN, apiTokens: ['another-token-of-16', TOKEN] } });
    expect((await send({ authorization: `Bearer ${TOKEN}` })).status).toBe(200);
    expect((await fetch(`${server.url}/api/health`)).status).toBe(200);
    expect((await fetch(`${server.url}/metrics`)).status).toBe(404);
  });
});

describe('origins', () => {
  const preflight = (origin: string) =>
    fetch(`${server.url}/api/asr/vad`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });

  test('closed: a page of another origin may not post, the own one and programs may', async () => {
    await start({});
    expect((await send()).status).toBe(200);
    expect((await send({ origin: server.url })).status).toBe(200);
    const proxied = { origin: 'https://public.example', 'sec-fetch-site': 'same-origin' };
    expect((await send(proxied)).status).toBe(200);
    const refused = await send({ origin: 'https://evil.example' });
    expect([refused.status, refused.body.error?.code]).toEqual([403, 'origin_not_allowed']);
    const sandboxed = await send({ origin: 'null' });
    expect(sandboxed.status).toBe(403);
    const lying = { origin: server.url, 'sec-fetch-site': 'cross-site' };
    expect((await send(lying)).status).toBe(403);
    expect((await preflight('https://evil.example')).status).toBe(403);
  });

  test('open to a list: preflight, answer and errors carry the headers', async () => {
    const origin = 'https://app.example.com';
    await start({ access: { ...OPEN, allowedOrigins: [origin] } });
    const asked = await preflight(origin);
    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-origin')).toBe(origin);
    expect(asked.headers.get('access-control-allow-headers')).toContain('idempotency-key');
    const answered = await send({ origin });
    expect(answered.status).toBe(200);
    expect(answered.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answered.headers.get('access-control-expose-headers')).toContain('retry-after');
    expect(answered.headers.get('vary')).toContain('origin');
    const wrong = await postSpeech(server, new FormData(), { headers: { origin } });
    expect(wrong.status).toBe(400);
    expect(wrong.headers.get('access-control-allow-origin')).toBe(origin);
    expect((await send({ origin: 'https://evil.example' })).status).toBe(403);
  });
});
