import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createOpenAiEngine } from '../../../server/engine/openai-engine.ts';
import { systemClock } from '../../../server/system-clock.ts';
import { createTextRules } from '../../../server/text/create-text-rules.ts';
import { createHunspellSpellers } from '../../../server/text/load-spellers.ts';
import { createFakeEngine } from '../../helpers/fake-engine.ts';
import { fixture, postSpeech, speechForm, startServer } from '../../helpers/running-server.ts';
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
    access: { apiTokens: ['hush-token-of-16-chars'], allowedOrigins: [], trustProxy: false },
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
