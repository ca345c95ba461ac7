import { afterEach, describe, expect, test } from 'vitest';
import type { AppOptions } from '../../../server/app.ts';
import type { AudioDecoder } from '../../../server/audio/decoder-pool.ts';
import { createFakeEngine, type FakeEngine } from '../../helpers/fake-engine.ts';
import { formBody, postHead, type RawConnection, rawConnection } from '../../helpers/raw-http.ts';
import {
  postSpeech,
  type RunningServer,
  speechForm,
  startServer,
} from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

describe('uploads', () => {
  const MIB = 1024 * 1024;
  const WAV = waveFile(16_000, tone(440, 16_000, 0.5));
  const PART_OF_FORM = formBody(WAV).subarray(0, 75);

  let fake: FakeEngine;
  let server: RunningServer;
  let connections: RawConnection[] = [];
  afterEach(async () => {
    for (const { socket } of connections) socket.destroy();
    connections = [];
    for (const call of fake.calls) call.answer('late');
    await server.close();
  });
  async function start(options: Partial<AppOptions> = {}, text: string | null = 'fever') {
    fake = createFakeEngine(text);
    server = await startServer({ engine: fake.engine, ...options });
  }
  async function open(bytes: string | Uint8Array) {
    const connection = await rawConnection(server.url, bytes);
    connections.push(connection);
    return connection;
  }
  const send = (headers: Record<string, string> = {}, file = WAV) =>
    postSpeech(server, speechForm(file), { headers });

  /** A request that announces much, sends a little, and then nothing. */
  async function silentUpload(headers: Record<string, string> = {}) {
    const connection = await open(postHead(32 * MIB, { headers }));
    connection.socket.write(PART_OF_FORM);
    return connection;
  }

  describe('uploads that announce much and send nothing', () => {
    test('eight of 32 MiB take nothing from others', async () => {
      await start();
      for (let opened = 0; opened < 8; opened++) await silentUpload();
      for (let sent = 0; sent < 5; sent++) expect((await send()).status).toBe(200);
    });

    test('many at once are no leak to warn of', async () => {
      const warnings: string[] = [];
      const note = ({ name }: Error) => warnings.push(name);
      process.on('warning', note);
      await start();
      for (let opened = 0; opened < 14; opened++) await silentUpload();
      expect((await send()).status).toBe(200);
      process.off('warning', note);
      expect(warnings).toEqual([]);
    });

    test('are given up with 408 and their sockets destroyed', async () => {
      await start({ limits: { bodyGraceMs: 1_000, lingerMs: 300 } });
      const silent = await silentUpload();
      await expect.poll(silent.status, { timeout: 5_000 }).toBe(408);
      expect(silent.text()).toMatch(/connection: close[\s\S]*"upload_too_slow"/i);
      expect(await silent.cutOff()).toBeLessThan(5_000);
    }, 15_000);

    test('a trickle below the least rate is given up as well', async () => {
      await start({ limits: { bodyGraceMs: 1_000, minBodyBytesPerS: 500, lingerMs: 300 } });
      const trickle = await silentUpload();
      const timer = setInterval(() => trickle.socket.write('x'.repeat(20)), 100);
      await expect.poll(trickle.status, { timeout: 8_000 }).toBe(408);
      await trickle.cutOff();
      clearInterval(timer);
    }, 15_000);

    test('a slow link, 64 kbit/s, gets through with a grace it needs many times over', async () => {
      await start({ limits: { bodyGraceMs: 1_000, minBodyBytesPerS: 500 } });
      const file = waveFile(16_000, tone(440, 16_000, 1.2));
      const body = formBody(file);
      const slow = await open(postHead(body.length));
      const BYTES_PER_S = 8_000;
      for (let at = 0; at < body.length; at += BYTES_PER_S / 10) {
        slow.socket.write(body.subarray(at, at + BYTES_PER_S / 10));
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      await expect.poll(slow.status, { timeout: 5_000 }).toBe(200);
      expect(slow.text()).toContain('"transcription":"fever"');
    }, 30_000);

    test('a body without an announced length ends where the largest file would', async () => {
      await start({ limits: { maxUploadBytes: 50_000, lingerMs: 300 } });
      const head = postHead(0).replace(/Content-Length: 0/, 'Transfer-Encoding: chunked');
      const endless = await open(head);
      const chunk = `2000\r\n${'x'.repeat(0x2000)}\r\n`;
      endless.socket.write(`4b\r\n`);
      endless.socket.write(PART_OF_FORM);
      endless.socket.write('\r\n');
      const timer = setInterval(() => endless.socket.write(chunk), 20);
      await expect.poll(endless.status, { timeout: 5_000 }).toBe(413);
      await endless.cutOff();
      clearInterval(timer);
    }, 15_000);
  });

  describe('a connection whose answer came before its body', () => {
    test.each<[number, string, Partial<AppOptions>, Parameters<typeof postHead>[1], number]>([
      [401, 'no token', { access: { apiTokens: ['a-token-of-16-chars'] } }, {}, MIB],
      [413, 'too much announced', {}, {}, 1e9],
      [404, 'no route', {}, { path: '/api/nothing' }, MIB],
      [400, 'no address', {}, { path: '/api/%zz' }, MIB],
      [405, 'no method', {}, { path: '/api/health' }, MIB],
      [403, 'another name', {}, { host: 'evil.example' }, MIB],
      [415, 'no form', {}, { headers: { 'Content-Type': 'audio/wav' } }, MIB],
      [400, 'no key', {}, { headers: { 'Idempotency-Key': 'two words' } }, MIB],
      [403, 'a foreign page', {}, { headers: { Origin: 'https://evil.example' } }, MIB],
    ])('%i, %s: reads its answer, and is let go', async (status, _, options, request, bytes) => {
      await start({ ...options, limits: { lingerMs: 300 } } as Partial<AppOptions>);
      const refused = await open(postHead(bytes, request));
      refused.socket.write(PART_OF_FORM);
      await expect.poll(refused.status, { timeout: 5_000 }).toBe(status);
      expect(await refused.cutOff()).toBeLessThan(5_000);
    });

    test('one whose body has come stays for the next request', async () => {
      await start();
      const body = formBody(WAV);
      const kept = await open(Buffer.concat([Buffer.from(postHead(body.length)), body]));
      await expect.poll(kept.status).toBe(200);
      kept.socket.write('GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n');
      await expect.poll(() => kept.text().match(/HTTP\/1\.1 200/g)?.length).toBe(2);
    });
  });

  describe('connections that never become a request', () => {
    test.each([
      ['silence', '', 408],
      ['half a head', 'POST /api/asr/vad HTTP/1.1\r\nHost: loc', 408],
      ['no HTTP', '\u0000\u0001garbage\r\n\r\n', 400],
    ])(
      '%s: told so, and let go',
      async (_, bytes, status) => {
        await start({ limits: { headTimeoutMs: 1_000, lingerMs: 300 } });
        const connection = await open(bytes);
        await expect.poll(connection.status, { timeout: 6_000 }).toBe(status);
        expect(await connection.cutOff()).toBeLessThan(8_000);
      },
      15_000,
    );
  });

  test('a client that never reads its answer is let go', async () => {
    let isOver = false;
    await start({
      limits: { idleMs: 1_000 },
      pages: {
        kind: 'handler',
        handle(_, response) {
          response.once('close', () => {
            isOver = true;
          });
          response.end(Buffer.alloc(32 * MIB));
        },
      },
    });
    const reader = await open('GET /page HTTP/1.1\r\nHost: localhost\r\n\r\n');
    reader.socket.pause();
    await expect.poll(() => isOver, { timeout: 10_000 }).toBe(true);
    expect(reader.socket.bytesRead).toBeLessThan(32 * MIB);
  }, 15_000);

  describe('what one client may have under way', () => {
    const from = (ip: string) => ({ 'x-forwarded-for': ip });

    test('requests: one more gets 429 and when to come, and others are not touched', async () => {
      await start({ limits: { maxUploadsPerClient: 2 }, access: { trustProxy: 1 } });
      await silentUpload({ 'X-Forwarded-For': '192.0.2.1' });
      const second = await silentUpload({ 'X-Forwarded-For': '192.0.2.1' });
      const refused = () => send(from('192.0.2.1'));
      await expect.poll(async () => (await refused()).status).toBe(429);
      const { body, headers } = await refused();
      expect(body.error?.code).toBe('rate_limited');
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await send(from('192.0.2.2'))).status).toBe(200);
      second.socket.destroy();
      await expect.poll(async () => (await refused()).status).toBe(200);
    });

    test('bytes: a second file beyond the share gets 429, and others are not touched', async () => {
      await start(
        { limits: { maxHeldBytesPerClient: WAV.length + 5_000 }, access: { trustProxy: 1 } },
        null,
      );
      const first = send(from('192.0.2.1'));
      await expect.poll(() => fake.calls.length).toBe(1);
      expect((await send(from('192.0.2.1'))).body.error?.code).toBe('rate_limited');
      const other = send(from('192.0.2.2'));
      fake.calls[0]?.answer('a');
      expect((await first).status).toBe(200);
      await expect.poll(() => fake.calls.length).toBe(2);
      fake.calls[1]?.answer('b');
      expect((await other).status).toBe(200);
    });

    test('audio: what is decoded counts until it is recognised, also when its sender has left', async () => {
      const limits = { maxAudioMsPerClient: 800, concurrency: 4 };
      await start({ limits, access: { trustProxy: 1 } }, null);
      const leaving = new AbortController();
      const headers = { ...from('192.0.2.1'), 'idempotency-key': 'one' };
      const left = postSpeech(server, speechForm(WAV), { headers, signal: leaving.signal });
      left.catch(() => undefined);
      await expect.poll(() => fake.calls.length).toBe(1);
      leaving.abort();
      const { status, body, headers: said } = await send(from('192.0.2.1'));
      expect([status, body.error?.code]).toEqual([429, 'rate_limited']);
      expect(Number(said.get('retry-after'))).toBeGreaterThan(0);
      const other = send(from('192.0.2.2'));
      await expect.poll(() => fake.calls.length).toBe(2);
      fake.calls[0]?.answer('a');
      fake.calls[1]?.answer('b');
      expect((await other).status).toBe(200);
      const again = send(from('192.0.2.1'));
      await expect.poll(() => fake.calls.length).toBe(3);
      fake.calls[2]?.answer('c');
      expect((await again).status).toBe(200);
    });

    test('audio: one recording longer than the share is taken, and a second refused unread', async () => {
      await start({ limits: { maxAudioMsPerClient: 100, concurrency: 4 } }, null);
      const first = send();
      await expect.poll(() => fake.calls.length).toBe(1);
      const unread = await silentUpload();
      await expect.poll(unread.status).toBe(429);
      fake.calls[0]?.answer('a');
      expect((await first).status).toBe(200);
    });

    test('audio: colleagues behind one address have a share each, by their tokens', async () => {
      const apiTokens = ['token-of-the-first', 'token-of-the-second'];
      await start(
        { limits: { maxAudioMsPerClient: 800, concurrency: 4 }, access: { apiTokens } },
        null,
      );
      const sent = apiTokens.map((token) => send({ authorization: `Bearer ${token}` }));
      await expect.poll(() => fake.calls.length).toBe(2);
      expect((await send({ authorization: `Bearer ${apiTokens[0]}` })).status).toBe(429);
      for (const call of fake.calls) call.answer('words');
      for (const answer of sent) expect((await answer).status).toBe(200);
    });
  });
});

describe('many at once', () => {
  test('many transcriptions at once are no leak that Node would warn of', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    const waiting: (() => void)[] = [];
    /** As the pool does, it listens for the end of the work while it decodes. */
    const decoder: AudioDecoder = {
      audioTypes: [],
      async decode(_file, _maxAudioMs, signal) {
        const leave = () => undefined;
        signal.addEventListener('abort', leave);
        await new Promise<void>((decoded) => waiting.push(decoded));
        signal.removeEventListener('abort', leave);
        return { samples: new Float32Array(16_000), complete: true };
      },
      dispose: async () => undefined,
    };
    const { engine } = createFakeEngine('words');
    const server = await startServer({ engine, decoder, limits: { concurrency: 20 } });
    const sent = Array.from({ length: 20 }, (_, index) =>
      postSpeech(server, speechForm(waveFile(16_000, tone(440 + index, 16_000, 0.1))), {
        headers: { 'idempotency-key': `key-${index}` },
      }),
    );
    await expect.poll(() => waiting.length, { timeout: 4_000 }).toBe(20);
    for (const decoded of waiting) decoded();
    for (const answer of await Promise.all(sent)) expect(answer.status).toBe(200);
    await server.close();
    process.off('warning', note);
    expect(warnings.map(String)).toEqual([]);
  });
});
