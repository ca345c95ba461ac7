import { afterEach, describe, expect, test } from 'vitest';
import { clientKey, OPEN_ACCESS } from '../../../server/access/callers.ts';
import { createRateLimit } from '../../../server/access/client-limits.ts';
import type { TrustedProxies } from '../../../server/access/trusted-proxies.ts';
import type { AppOptions } from '../../../server/app.ts';
import { createFakeClock } from '../../helpers/fake-clock.ts';
import { createFakeEngine, type FakeEngine } from '../../helpers/fake-engine.ts';
import { formBody, postHead, type RawConnection, rawConnection } from '../../helpers/raw-http.ts';
import {
  postSpeech,
  type RunningServer,
  speechForm,
  startServer,
} from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

describe('rates, tokens, origins', () => {
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
});

describe('connections', () => {
  const GET = 'GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n';

  let server: RunningServer;
  let connections: RawConnection[] = [];
  afterEach(async () => {
    for (const { socket } of connections) socket.destroy();
    connections = [];
    await server.close();
  });

  async function start(access: AppOptions['access'] = {}) {
    const limits = { maxConnectionsPerAddress: 3, lingerMs: 300 };
    server = await startServer({ engine: createFakeEngine().engine, limits, access: access ?? {} });
  }
  async function open(from: string) {
    const connection = await rawConnection(server.url, GET, from);
    connections.push(connection);
    return connection;
  }
  async function statusesOf(count: number, from: string) {
    const statuses: (number | null)[] = [];
    for (let opened = 0; opened < count; opened++) {
      const connection = await open(from);
      await expect.poll(connection.status).not.toBe(null);
      statuses.push(connection.status());
    }
    return statuses;
  }

  test('one more of an address gets 429 and when to come, is let go, and no other address feels it', async () => {
    await start();
    expect(await statusesOf(4, '127.0.0.2')).toEqual([200, 200, 200, 429]);
    const refused = connections[3]!;
    await expect.poll(refused.text).toMatch(/retry-after: \d[\s\S]*connection/i);
    expect(refused.text()).toMatch(/connection: close/i);
    expect(await refused.cutOff()).toBeLessThan(5_000);
    expect(await statusesOf(1, '127.0.0.3')).toEqual([200]);
    connections[0]?.socket.destroy();
    await expect.poll(async () => (await statusesOf(1, '127.0.0.2'))[0]).toBe(200);
  });

  test('one too many that says nothing is let go, and of very many most at once', async () => {
    await start();
    const silent = await Promise.all(
      Array.from({ length: 60 }, () => rawConnection(server.url, '', '127.0.0.2')),
    );
    connections.push(...silent);
    const startedMs = performance.now();
    await Promise.all(silent.slice(3).map((connection) => connection.cutOff()));
    expect(performance.now() - startedMs).toBeLessThan(5_000);
    expect(await statusesOf(1, '127.0.0.3')).toEqual([200]);
  });

  test.each<[string, AppOptions['access']]>([
    ['a network', { trustProxy: ['127.0.0.2/32'] }],
    ['a number of hops', { trustProxy: 1 }],
  ])('a trusted proxy, known by %s, may have any number', async (_, access) => {
    await start(access);
    expect(await statusesOf(8, '127.0.0.2')).toEqual(Array(8).fill(200));
  });

  test('an address that is no trusted proxy is counted whatever it says of itself', async () => {
    await start({ trustProxy: ['10.0.0.0/8'] });
    await statusesOf(3, '127.0.0.2');
    const head = GET.replace('\r\n\r\n', '\r\nX-Forwarded-For: 10.0.0.7\r\n\r\n');
    const fourth = await rawConnection(server.url, head, '127.0.0.2');
    connections.push(fourth);
    await expect.poll(fourth.status).toBe(429);
  });
});

describe('proxies', () => {
  const WAV = waveFile(16_000, tone(440, 16_000, 0.1));

  let server: RunningServer;
  afterEach(() => server.close());
  const startTrusting = async (trustProxy: TrustedProxies) => {
    server = await startServer({
      engine: createFakeEngine().engine,
      limits: { maxPerMinute: 1 },
      access: { trustProxy },
    });
  };
  const statusFrom = async (forwardedFor: string) =>
    (await postSpeech(server, speechForm(WAV), { headers: { 'x-forwarded-for': forwardedFor } }))
      .status;

  describe('the client behind proxies', () => {
    test.each<[string, TrustedProxies, string, string]>([
      ['one hop', 1, '203.0.113.1', ''],
      ['two hops', 2, '203.0.113.1', ', 10.0.0.2'],
      ['networks', ['loopback', '10.0.0.0/8'], '203.0.113.1', ', 10.0.0.2, 10.1.2.3'],
    ])(
      '%s: thirty forged addresses in front are one client',
      async (_, trusted, client, behind) => {
        await startTrusting(trusted);
        expect(await statusFrom(`${client}${behind}`)).toBe(200);
        for (let forged = 0; forged < 30; forged++) {
          expect(await statusFrom(`198.51.100.${forged}, ${client}${behind}`)).toBe(429);
        }
        expect(await statusFrom(`203.0.113.2${behind}`)).toBe(200);
      },
    );

    test('words that are no address are not believed', async () => {
      await startTrusting(1);
      expect(await statusFrom('203.0.113.9')).toBe(200);
      // The proxy's own address stands for whoever it could not name.
      expect(await statusFrom('unknown')).toBe(200);
      for (const word of ['_hidden', 'x', '1.2.3', '300.1.1.1', 'a.b.c.d', "'; --", '::g']) {
        expect(await statusFrom(word)).toBe(429);
      }
    });

    test('an address with its port is that address', async () => {
      await startTrusting(1);
      expect(await statusFrom('203.0.113.1:4711')).toBe(200);
      expect(await statusFrom('203.0.113.1')).toBe(429);
      expect(await statusFrom('[2001:db8::1]:4711')).toBe(200);
      expect(await statusFrom('2001:db8::2')).toBe(429);
    });

    test('a network that is not trusted is not believed', async () => {
      await startTrusting(['192.0.2.0/24']);
      expect(await statusFrom('203.0.113.1')).toBe(200);
      expect(await statusFrom('203.0.113.2')).toBe(429);
    });

    test('all addresses of one IPv6 /64 are one client', async () => {
      await startTrusting(1);
      expect(await statusFrom('2001:db8:1:2::1')).toBe(200);
      for (let last = 2; last < 20; last++) {
        expect(await statusFrom(`2001:db8:1:2:${last}::${last}`)).toBe(429);
      }
      expect(await statusFrom('2001:db8:1:3::1')).toBe(200);
    });
  });

  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:201', '192.0.2.1'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:0DB8:0:0:ffff::1', '2001:db8:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['', ''],
  ])('the key of %s is %s', async (address, key) => {
    await startTrusting(false);
    expect(clientKey(address)).toBe(key);
  });
});

describe('names and routes', () => {
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
    // Many more: `tests/attacks/spellings`.
    const spellings = [
      '/api/asr/vad',
      '/%61pi/asr/vad',
      '//api/asr/vad',
      '/API/asr/vad',
      '/x/../api/asr/vad',
      'http://localhost/api/asr/vad',
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
});
