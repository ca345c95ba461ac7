import { createHash } from 'node:crypto';
import { Writable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { AppOptions } from '../../../server/app.ts';
import { systemClock } from '../../../server/core/system.ts';
import { createOpenAiEngine } from '../../../server/engine/openai-engine.ts';
import { createHunspellSpellers } from '../../../server/text/correct-spelling.ts';
import { createTextRules } from '../../../server/text/create-text-rules.ts';
import { createFakeEngine } from '../../helpers/fake-engine.ts';
import { postHead, rawConnection } from '../../helpers/raw-http.ts';
import {
  fixture,
  postSpeech,
  type RunningServer,
  speechForm,
  startServer,
} from '../../helpers/running-server.ts';
import { json, startUpstreamStub } from '../../helpers/upstream-stub.ts';

function memoryLog() {
  let text = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  const lines = () =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { stream, lines, text: () => text };
}

test('a line for each request with figures, and not a word of content', async () => {
  const log = memoryLog();
  const fake = createFakeEngine(null);
  const server = await startServer({
    engine: fake.engine,
    logger: { level: 'trace', stream: log.stream },
  });

  const form = speechForm(fixture('speech-en.webm'), {}, 'anna-karlsson-journal.webm');
  const answer = postSpeech(server, form);
  await expect.poll(() => fake.calls.length).toBe(1);
  fake.calls[0]?.answer('the secret diagnosis');
  const { headers } = await answer;

  const failing = postSpeech(server, form);
  await expect.poll(() => fake.calls.length).toBe(2);
  fake.calls[1]?.fail(new Error('the decoder failed'));
  await failing;
  await postSpeech(server, speechForm(new Uint8Array(9).fill(65), { language: 'secretlang' }));
  await fetch(`${server.url}/api/health?who=anna`);

  const leaving = new AbortController();
  const lost = postSpeech(server, form, { signal: leaving.signal });
  await expect.poll(() => fake.calls.length).toBe(3);
  leaving.abort();
  await expect(lost).rejects.toThrow();
  await expect.poll(() => log.lines().some((line) => line.status === 499)).toBe(true);
  fake.calls[2]?.fail(new Error('stopped'));
  await server.close();

  const answered = log.lines().filter((line) => line.msg === 'answered');
  expect(answered.map((line) => line.status)).toEqual([200, 500, 400, 200, 499]);
  expect(answered[0]).toMatchObject({
    level: 30,
    reqId: headers.get('x-request-id'),
    method: 'POST',
    route: '/api/asr/vad',
    engine: 'fake',
    language: 'en',
    uploadBytes: fixture('speech-en.webm').length,
    audioMs: expect.any(Number),
    durationMs: expect.any(Number),
    complete: true,
    isEmpty: false,
  });
  expect(answered[1]).toMatchObject({ errorCode: 'engine_failed' });
  expect(log.lines().find((line) => line.level === 50)).toMatchObject({
    msg: 'engine_failed',
    err: { message: 'the decoder failed' },
  });
  expect(log.text()).not.toMatch(/secret|diagnosis|anna|karlsson|OpusHead/i);
});

test('keys, tokens, personal data and what an upstream says stay out of the log', async () => {
  const log = memoryLog();
  const upstream = await startUpstreamStub();
  const server = await startServer({
    engine: createOpenAiEngine(
      {
        baseUrl: `${upstream.url}/v1`,
        apiKey: 'sk-hush-key',
        model: 'm',
        fastModel: null,
        languages: ['sv'],
        defaultLanguage: 'sv',
        prompt: 'hush prompt',
        timeoutMs: 10_000,
      },
      { fetch: globalThis.fetch, clock: systemClock, random: () => 0 },
    ),
    textRules: createTextRules({
      spellers: createHunspellSpellers(),
      onFailure: (error) => {
        throw error;
      },
    }),
    access: { apiTokens: ['hush-token-of-16-chars'] },
    logger: { level: 'trace', stream: log.stream },
  });
  await expect.poll(async () => (await fetch(`${server.url}/api/health`)).status).toBe(200);
  const send = (authorization: string) =>
    postSpeech(server, speechForm(fixture('speech-en.wav'), { removePii: 'true' }), {
      headers: { authorization, 'idempotency-key': `hush-${authorization.length}` },
    });
  upstream.reply(json(200, { text: 'Hush, 850709-9805, säger hon' }));
  const { body } = await send('Bearer hush-token-of-16-chars');
  expect(body.transcription).toBe('Hush, [personnummer], säger hon');
  expect((await send('Bearer hush')).status).toBe(401);
  upstream.reply(json(400, { error: { message: 'hush: 850709-9805' } }));
  const key = { authorization: 'Bearer hush-token-of-16-chars' };
  expect(
    (await postSpeech(server, speechForm(fixture('speech-en.ogg')), { headers: key })).status,
  ).toBe(502);
  await server.close();
  await upstream.close();
  expect(log.lines().filter((line) => line.msg === 'answered').length).toBeGreaterThan(2);
  expect(log.text()).not.toMatch(/hush|850709|personnummer|säger/i);
});

test('the language an engine found is in the log and in the answer', async () => {
  const log = memoryLog();
  const { engine } = createFakeEngine();
  const server = await startServer({
    engine: {
      ...engine,
      description: { ...engine.description, languages: ['sv', 'en'], defaultLanguage: null },
      transcribe: async (_samples, { language }) => ({ text: 'Hej', language: language || 'sv' }),
    },
    logger: { level: 'info', stream: log.stream },
  });
  const found = await postSpeech(server, speechForm(fixture('speech-en.wav')));
  const asked = await postSpeech(server, speechForm(fixture('speech-en.wav'), { language: 'en' }));
  await server.close();
  expect([found.body.language, asked.body.language]).toEqual(['sv', 'en']);
  const answered = log.lines().filter(({ msg }) => msg === 'answered');
  expect(answered.map(({ language }) => language)).toEqual(['sv', 'en']);
});

describe('who it was', () => {
  const TOKEN = 'hush-token-of-16-chars';
  const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

  async function linesOf(access: AppOptions['access'], send: (server: RunningServer) => unknown) {
    const log = memoryLog();
    const server = await startServer({
      engine: createFakeEngine().engine,
      access: { trustProxy: 1, ...access },
      logger: { level: 'debug', stream: log.stream },
    });
    await send(server);
    await server.close();
    return { lines: log.lines().filter(({ msg }) => msg === 'answered'), text: log.text() };
  }
  const post = (server: RunningServer, headers: Record<string, string>) =>
    postSpeech(server, speechForm(fixture('speech-en.wav')), { headers });

  test('each line has a name for the address, the same for the same client, and not the address', async () => {
    const { lines, text } = await linesOf({}, async (server) => {
      await post(server, { 'x-forwarded-for': '203.0.113.77' });
      await post(server, { 'x-forwarded-for': '203.0.113.77' });
      await post(server, { 'x-forwarded-for': '203.0.113.78' });
      await fetch(`${server.url}/nothing`);
    });
    const [first, second, third, fourth] = lines.map(({ client }) => client);
    expect(first).toMatch(/^[\w-]{12}$/);
    expect(second).toBe(first);
    expect(new Set([first, third, fourth]).size).toBe(3);
    expect(text).not.toMatch(/203\.0\.113/);
  });

  test('plain: the address; none: nothing', async () => {
    const send = (server: RunningServer) => post(server, { 'x-forwarded-for': '203.0.113.77' });
    const plain = await linesOf({ logClients: 'plain' }, send);
    expect(plain.lines[0]).toMatchObject({ client: '203.0.113.77' });
    const none = await linesOf({ logClients: 'none' }, send);
    expect(none.lines[0]).not.toHaveProperty('client');
  });

  test('a line has the id of the token, which its owner can work out, and never the token', async () => {
    const id = createHash('sha256').update(TOKEN).digest('hex').slice(0, 8);
    const { lines, text } = await linesOf({ apiTokens: [TOKEN] }, async (server) => {
      await post(server, { authorization: `Bearer ${TOKEN}` });
      await post(server, { cookie: `diktera_token=${TOKEN}` });
      await post(server, { authorization: 'Bearer another-token-of-16' });
    });
    expect(lines.map(({ token }) => token)).toEqual([id, id, undefined]);
    expect(text).not.toContain('hush');
  });

  test('a client that left has its name, too', async () => {
    const { lines } = await linesOf({}, async (server) => {
      const half = await rawConnection(server.url, postHead(10_000));
      half.socket.write('x');
      await fetch(`${server.url}/livez`);
      half.socket.destroy();
      const figures = async () => (await fetch(`${server.adminUrl}/metrics`)).text();
      await expect.poll(figures).toContain('status="499"');
    });
    expect(lines.find(({ status }) => status === 499)).toMatchObject({
      client: expect.stringMatching(/^[\w-]{12}$/),
    });
  });

  test('ids come in and go out: x-request-id where it is usable, the trace of traceparent', async () => {
    const ids: (string | null)[] = [];
    const { lines } = await linesOf({}, async (server) => {
      for (const given of ['order-4711.a', 'two words', 'x', `${'a'.repeat(129)}`]) {
        const traceparent = `00-${TRACE}-00f067aa0ba902b7-01`;
        const answer = await post(server, { 'x-request-id': given, traceparent });
        ids.push(answer.headers.get('x-request-id'));
      }
      await post(server, { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` });
    });
    expect(ids[0]).toBe('order-4711.a');
    for (const made of ids.slice(1)) expect(made).toMatch(/^[0-9a-f-]{36}$/);
    expect(lines.map(({ reqId }) => reqId).slice(0, 4)).toEqual(ids);
    expect(lines.map(({ trace }) => trace)).toEqual([TRACE, TRACE, TRACE, TRACE, undefined]);
  });
});

test('a page of another origin is named once, with the setting that would let it in', async () => {
  const log = memoryLog();
  const server = await startServer({
    engine: createFakeEngine().engine,
    logger: { level: 'warn', stream: log.stream },
  });
  onTestFinished(() => server.close());
  const ask = (origin: string, method: string) =>
    fetch(`${server.url}/api/asr/vad`, { method, headers: { origin } });
  await ask('https://app.example.com', 'OPTIONS');
  await ask('https://app.example.com', 'POST');
  await ask('http://[::1]:5173', 'POST');
  await ask('https://x.example/ <b>not one</b>', 'POST');
  for (let at = 0; at < 40; at += 1) await ask(`https://${at}.example.com`, 'OPTIONS');
  const said = log.lines().map(({ msg }) => String(msg));
  const named = said.filter((message) => message.includes('ALLOWED_ORIGINS'));
  expect(named).toHaveLength(20);
  expect(named[0]).toContain('a page of https://app.example.com was refused');
  expect(named[1]).toContain('http://[::1]:5173');
  expect(log.text()).not.toContain('not one');
});
