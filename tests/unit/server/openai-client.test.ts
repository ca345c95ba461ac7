import { createReadStream } from 'node:fs';
import { fileURLToPath } from 'node:url';
import OpenAI, { APIError, toFile } from 'openai';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createFakeEngine, type FakeEngine } from '../../helpers/fake-engine.ts';
import { fixture, type RunningServer, startServer } from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

const TOKEN = 'a-token-of-16-chars';
const SPEECH = fixture('speech-en.webm');

describe("OpenAI's own client, as it comes from npm", () => {
  let fake: FakeEngine;
  let server: RunningServer;
  let client: OpenAI;
  const clientWith = (apiKey: string) =>
    new OpenAI({ apiKey, baseURL: `${server.url}/v1`, maxRetries: 0 });
  const speech = () => toFile(SPEECH, 'speech.webm');

  beforeAll(async () => {
    fake = createFakeEngine('the words that were said');
    const access = { apiTokens: [TOKEN] };
    server = await startServer({
      engine: fake.engine,
      access,
      limits: { maxUploadBytes: 200_000, maxAudioMs: 20_000 },
    });
    client = clientWith(TOKEN);
  });
  beforeEach(() => fake.set({ kind: 'ready' }));
  afterAll(() => server.close());

  test('gets the text, from a file that it streams as well', async () => {
    const path = fileURLToPath(new URL('../../fixtures/speech-en.webm', import.meta.url));
    const heard = await client.audio.transcriptions.create({
      file: createReadStream(path),
      model: 'whisper-1',
      language: 'en',
      prompt: 'words '.repeat(150),
      temperature: 0,
    });
    expect(heard.text).toBe('the words that were said');
    expect(heard.usage).toMatchObject({ type: 'duration' });
    expect(fake.calls.at(-1)).toMatchObject({ language: 'en', fast: true });
  });

  test('gets it as plain text', async () => {
    const heard = await client.audio.transcriptions.create({
      file: await speech(),
      model: 'gpt-4o-transcribe',
      response_format: 'text',
    });
    expect(heard).toBe('the words that were said\n');
  });

  test('gets it with its language and length', async () => {
    const heard = await client.audio.transcriptions.create({
      file: await toFile(waveFile(16_000, tone(440, 16_000, 1.5)), 'a.wav'),
      model: 'whisper-1',
      response_format: 'verbose_json',
      timestamp_granularities: ['segment'],
    });
    expect(heard).toMatchObject({
      language: 'english',
      duration: 1.5,
      text: 'the words that were said',
      segments: [{ id: 0, start: 0, end: 1.5, text: 'the words that were said' }],
      usage: { type: 'duration', seconds: 2 },
    });
  });

  test('gets subtitles, in one line where the engine tells no times', async () => {
    const file = await toFile(waveFile(16_000, tone(440, 16_000, 1.5)), 'a.wav');
    const heard = await client.audio.transcriptions.create({
      file,
      model: 'whisper-1',
      response_format: 'srt',
    });
    expect(heard).toBe('1\n00:00:00,000 --> 00:00:01,500\nthe words that were said\n\n');
  });

  test('gets it as a stream of events', async () => {
    const stream = await client.audio.transcriptions.create({
      file: await speech(),
      model: 'gpt-4o-mini-transcribe',
      stream: true,
    });
    const events = [];
    for await (const event of stream) events.push(event);
    expect(events).toEqual([
      { type: 'transcript.text.delta', delta: 'the words that were said' },
      { type: 'transcript.text.done', text: 'the words that were said' },
    ]);
  });

  test('a quiet recording is a stream with its end only', async () => {
    const stream = await client.audio.transcriptions.create({
      file: await toFile(waveFile(16_000, new Float32Array(8_000)), 'a.wav'),
      model: 'any',
      stream: true,
    });
    const events = [];
    for await (const event of stream) events.push(event);
    expect(events).toEqual([{ type: 'transcript.text.done', text: '' }]);
  });

  test('finds the models', async () => {
    const { data } = await client.models.list();
    expect(data).toEqual([{ id: 'fake-1', object: 'model', created: 0, owned_by: 'diktera' }]);
  });

  test.each<[string, number, string, () => Promise<unknown>]>([
    [
      'a wrong key',
      401,
      'unauthorized',
      async () => clientWith('sk-wrong').audio.transcriptions.create(await request()),
    ],
    ['a wrong key, asking for models', 401, 'unauthorized', () => clientWith('no').models.list()],
    [
      'a language the engine has not',
      422,
      'language_not_supported',
      async () => client.audio.transcriptions.create({ ...(await request()), language: 'sv' }),
    ],
    [
      'a stream with times',
      400,
      'field_invalid',
      async () =>
        client.audio.transcriptions.create({
          ...(await request()),
          response_format: 'verbose_json',
          stream: true,
        }),
    ],
    [
      'no audio',
      415,
      'audio_unsupported',
      async () =>
        client.audio.transcriptions.create({
          file: await toFile(Buffer.from('no audio at all'), 'a.wav'),
          model: 'm',
        }),
    ],
    [
      'too much of it',
      413,
      'upload_too_large',
      async () =>
        client.audio.transcriptions.create({
          file: await toFile(new Uint8Array(200_001), 'a.wav'),
          model: 'm',
        }),
    ],
    ['a call that is not there', 404, 'not_found', () => client.models.retrieve('gpt-4')],
  ])('reads the error of %s', async (_, status, code, ask) => {
    const error: unknown = await ask().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ status, code });
    if (error instanceof APIError) expect(error.type).toBe('invalid_request_error');
  });

  test('waits and tries again while the engine loads, as it does with OpenAI', async () => {
    fake.set({ kind: 'loading' });
    const waiting = new OpenAI({ apiKey: TOKEN, baseURL: `${server.url}/v1`, maxRetries: 2 });
    const heard = waiting.audio.transcriptions.create(await request());
    await expect
      .poll(async () => (await fetch(`${server.adminUrl}/metrics`)).text())
      .toContain('route="/v1/audio/transcriptions",status="503",code="engine_loading"');
    fake.set({ kind: 'ready' });
    expect((await heard).text).toBe('the words that were said');
  });

  const request = async () => ({ file: await speech(), model: 'whisper-1' });
});

describe('the same rules as for every recording', () => {
  let server: RunningServer;
  let fake: FakeEngine;
  afterEach(() => server.close());

  const WAV = waveFile(16_000, tone(440, 16_000, 0.5));
  function post(fields: Readonly<Record<string, string>> = {}, init: RequestInit = {}) {
    const form = new FormData();
    form.set('file', new File([new Uint8Array(WAV)], 'a.wav'));
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    return fetch(`${server.url}/v1/audio/transcriptions`, { method: 'POST', body: form, ...init });
  }

  test('text rules are applied where they are asked for, and only there', async () => {
    fake = createFakeEngine('hello');
    const applied: unknown[] = [];
    server = await startServer({
      engine: fake.engine,
      textRules: {
        states: { removePii: 'active', fixSpelling: 'active' },
        async apply(text, wishes) {
          applied.push(wishes);
          return { text, outcomes: { removePii: 'applied', fixSpelling: 'applied' } };
        },
      },
    });
    await post();
    await post({ removePii: 'true', fixSpelling: 'true' });
    expect(applied).toMatchObject([
      { removePii: false, fixSpelling: false },
      { removePii: true, fixSpelling: true },
    ]);
    expect((await post({ removePii: 'yes' })).status).toBe(400);
  });

  test('one client shares its turns and its share of uploads between both calls', async () => {
    fake = createFakeEngine(null);
    server = await startServer({ engine: fake.engine, limits: { maxUploadsPerClient: 1 } });
    const first = post();
    await expect.poll(() => fake.calls.length).toBe(1);
    const second = await post();
    expect(second.status).toBe(429);
    expect(await second.json()).toMatchObject({ error: { type: 'rate_limit_error' } });
    fake.calls[0]?.answer('done');
    expect((await first).status).toBe(200);
  });

  test('an Idempotency-Key counts here, too, and who leaves stops the work', async () => {
    fake = createFakeEngine(null);
    server = await startServer({ engine: fake.engine });
    const headers = { 'idempotency-key': 'k' };
    const once = post({}, { headers });
    await expect.poll(() => fake.calls.length).toBe(1);
    fake.calls[0]?.answer('once');
    expect(await (await once).json()).toMatchObject({ text: 'once' });
    expect(await (await post({}, { headers })).json()).toMatchObject({ text: 'once' });
    const leaving = new AbortController();
    const lost = post({}, { signal: leaving.signal });
    await expect.poll(() => fake.calls.length).toBe(2);
    leaving.abort();
    await expect(lost).rejects.toThrow();
    await expect.poll(() => fake.calls[1]?.signal.aborted).toBe(true);
    fake.calls[1]?.fail(new Error('stopped'));
  });
});
