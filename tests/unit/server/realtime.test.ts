import { request as httpRequest } from 'node:http';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { afterEach, describe, expect, test } from 'vitest';
import type { AppOptions } from '../../../server/app.ts';
import { createFakeEngine, type FakeEngine } from '../../helpers/fake-engine.ts';
import {
  base64Of,
  openRealtime,
  type RealtimeClient,
  WithoutTls,
} from '../../helpers/realtime-client.ts';
import {
  fixture,
  postSpeech,
  type RunningServer,
  speechForm,
  startServer,
} from '../../helpers/running-server.ts';
import { tone } from '../../helpers/wave-file.ts';

const TOKEN = 'a-token-of-16-chars';
const SECOND = tone(440, 24_000, 1);
const COMPLETED = 'conversation.item.input_audio_transcription.completed';
const FAILED = 'conversation.item.input_audio_transcription.failed';
const DELTA = 'conversation.item.input_audio_transcription.delta';

let fake: FakeEngine;
let server: RunningServer;
let client: RealtimeClient;
afterEach(async () => {
  client?.socket.terminate();
  await server.close();
});

async function start(text: string | null = 'words', options: Partial<AppOptions> = {}) {
  fake = createFakeEngine(text);
  server = await startServer({ engine: fake.engine, ...options });
}
const open = async (options: Parameters<typeof openRealtime>[1] = {}) => {
  client = await openRealtime(server, options);
};
const input = (fields: object) => ({
  type: 'session.update',
  session: { type: 'transcription', audio: { input: fields } },
});
const figures = async () => (await fetch(`${server.adminUrl}/metrics`)).text();

test("OpenAI's own helper, as it comes from npm, gets its text", async () => {
  await start('the words that were said', { access: { apiTokens: [TOKEN] } });
  const openai = new OpenAI({ apiKey: TOKEN, baseURL: `${server.url}/v1` });
  const realtime = new OpenAIRealtimeWS(
    { model: 'gpt-4o-transcribe', options: { agent: new WithoutTls() } },
    openai,
  );
  const seen: string[] = [];
  const completed = new Promise<{ transcript: string; item_id: string }>((resolve, reject) => {
    realtime.on('event', ({ type }) => seen.push(type));
    realtime.on('error', reject);
    realtime.on(COMPLETED, resolve);
  });
  realtime.on('session.created', () => {
    realtime.send({
      type: 'session.update',
      session: {
        type: 'transcription',
        audio: {
          input: {
            format: { type: 'audio/pcm', rate: 24_000 },
            transcription: { model: 'gpt-4o-transcribe', language: 'en' },
            turn_detection: null,
          },
        },
      },
    });
    for (let part = 0; part < 10; part++) {
      const samples = SECOND.subarray(part * 2_400, (part + 1) * 2_400);
      realtime.send({ type: 'input_audio_buffer.append', audio: base64Of(samples) });
    }
    realtime.send({ type: 'input_audio_buffer.commit' });
  });
  expect((await completed).transcript).toBe('the words that were said');
  expect(seen).toEqual([
    'session.created',
    'session.updated',
    'input_audio_buffer.committed',
    DELTA,
    COMPLETED,
  ]);
  expect(fake.calls[0]?.samples.length).toBeCloseTo(16_000, -2);
  const closed = new Promise((resolve) => realtime.socket.once('close', resolve));
  realtime.close();
  await closed;
});

describe('what comes and goes', () => {
  test('items are told apart, and are answered as they are done', async () => {
    await start(null, { limits: { concurrency: 2 } });
    await open();
    client.send(input({ format: { type: 'audio/pcm', rate: 16_000 } }));
    client.speak(tone(440, 16_000, 1), true);
    client.speak(tone(440, 16_000, 2), true);
    const first = await client.next('input_audio_buffer.committed');
    const second = await client.next('input_audio_buffer.committed');
    expect([first.previous_item_id, second.previous_item_id]).toEqual([null, first.item_id]);
    await expect.poll(() => fake.calls.length).toBe(2);
    expect(fake.calls.map(({ samples }) => samples.length).sort()).toEqual([16_000, 32_000]);
    const long = fake.calls.find(({ samples }) => samples.length === 32_000);
    const short = fake.calls.find(({ samples }) => samples.length === 16_000);
    long?.answer('afterwards');
    expect(await client.next(COMPLETED)).toMatchObject({
      item_id: second.item_id,
      transcript: 'afterwards',
      content_index: 0,
      usage: { type: 'duration', seconds: 2 },
    });
    short?.fail(new Error('no'));
    expect(await client.next(FAILED)).toMatchObject({
      item_id: first.item_id,
      error: { code: 'engine_failed', type: 'server_error' },
    });
    const text = await figures();
    expect(text).toContain('diktera_realtime_items_total{code=""} 1');
    expect(text).toContain('diktera_realtime_items_total{code="engine_failed"} 1');
    expect(text).toContain('diktera_audio_seconds_total{engine="fake"} 2');
  });

  test('what is cleared is never heard, and quiet has no delta', async () => {
    await start();
    await open();
    client.speak(SECOND);
    client.send({ type: 'input_audio_buffer.clear' });
    await client.next('input_audio_buffer.cleared');
    client.send({ type: 'input_audio_buffer.commit', event_id: 'mine' });
    expect((await client.next('error')).error).toMatchObject({
      code: 'input_audio_buffer_commit_empty',
      event_id: 'mine',
    });
    client.speak(new Float32Array(24_000), true);
    expect((await client.next(COMPLETED)).transcript).toBe('');
    expect(fake.calls).toHaveLength(0);
    expect(client.events.map(({ type }) => type)).not.toContain(DELTA);
  });

  test('the older form is understood and answered in kind', async () => {
    await start();
    await open();
    client.send({
      type: 'transcription_session.update',
      session: {
        input_audio_format: 'pcm16',
        input_audio_transcription: { model: 'whisper-1', language: 'en' },
        turn_detection: null,
      },
    });
    expect(await client.next('transcription_session.updated')).toMatchObject({
      session: {
        input_audio_format: 'pcm16',
        input_audio_transcription: { model: 'whisper-1', language: 'en', prompt: '' },
      },
    });
    client.speak(SECOND, true);
    expect((await client.next(COMPLETED)).transcript).toBe('words');
  });

  test.each<[string, string, unknown]>([
    [
      'turns of no known kind',
      'turn_detection_not_supported',
      input({ turn_detection: { type: 'mind_reading' } }),
    ],
    ['another format', 'audio_format', input({ format: { type: 'audio/pcmu' } })],
    ['another rate', 'audio_format', input({ format: { type: 'audio/pcm', rate: 8_000 } })],
    [
      'a language nobody writes',
      'language_not_supported',
      input({ transcription: { language: 'sv' } }),
    ],
    ['a model that is no text', 'field_invalid', input({ transcription: { model: 7 } })],
    ['a conversation', 'session_type', { type: 'session.update', session: { type: 'realtime' } }],
    ['an event nobody knows', 'event_unknown', { type: 'response.create' }],
    ['audio that is none', 'audio_invalid', { type: 'input_audio_buffer.append', audio: '%%%%' }],
    ['no audio', 'audio_invalid', { type: 'input_audio_buffer.append' }],
    ['garbage', 'event_invalid', 'no json'],
    ['a list', 'event_invalid', []],
    ['nothing', 'event_invalid', null],
    ['nesting', 'event_invalid', '['.repeat(100_000)],
    ['a session that is a text', 'field_invalid', { type: 'session.update', session: 'x' }],
    ['bytes', 'event_invalid', Buffer.from([1, 2, 3])],
  ])('%s is a clear error, and the connection goes on', async (_, code, event) => {
    await start();
    await open();
    const text =
      typeof event === 'string' || Buffer.isBuffer(event) ? event : JSON.stringify(event);
    client.send(text);
    expect((await client.next('error')).error).toMatchObject({
      code,
      type: 'invalid_request_error',
    });
    // `languages` has the audio settings of such an update.
    client.send(input({ format: { type: 'audio/pcm' }, transcription: { language: 'en' } }));
    await client.next('session.updated');
    client.speak(SECOND, true);
    expect((await client.next(COMPLETED)).transcript).toBe('words');
  });
});

describe('who may', () => {
  test('a token is needed, as Bearer or among the protocols, and no foreign page opens one', async () => {
    await start('words', {
      access: { apiTokens: [TOKEN], allowedOrigins: ['https://app.example.com'] },
    });
    await expect(openRealtime(server)).rejects.toThrow('401');
    const protocols = ['realtime', `openai-insecure-api-key.${TOKEN}`];
    await expect(
      openRealtime(server, { protocols: ['realtime', 'openai-insecure-api-key.wrong'] }),
    ).rejects.toThrow('401');
    await expect(
      openRealtime(server, { protocols, origin: 'https://evil.example' }),
    ).rejects.toThrow('403');
    await expect(openRealtime(server, { headers: { host: 'evil.example' } })).rejects.toThrow(
      '403',
    );
    await open({ protocols, origin: 'https://app.example.com' });
    expect(client.socket.protocol).toBe('realtime');
    await client.next('session.created');
    const bearer = await openRealtime(server, { headers: { authorization: `Bearer ${TOKEN}` } });
    await bearer.next('session.created');
    bearer.socket.terminate();
  });

  test('one client has so many connections and no more', async () => {
    await start('words', { limits: { maxUploadsPerClient: 2 } });
    await open();
    const second = await openRealtime(server);
    await expect(openRealtime(server)).rejects.toThrow('429');
    second.socket.terminate();
    await expect
      .poll(() =>
        openRealtime(server).then(
          ({ socket }) => {
            socket.terminate();
            return 'open';
          },
          () => 'refused',
        ),
      )
      .toBe('open');
  });

  test('another intent, and no WebSocket, are refused; other upgrades are requests like any other', async () => {
    await start();
    await expect(openRealtime(server, { query: '?intent=conversation' })).rejects.toThrow('400');
    expect((await fetch(`${server.url}/v1/realtime`)).status).toBe(400);
    await expect(openRealtime({ url: `${server.url}/api/health?` }, { query: '' })).rejects.toThrow(
      '200',
    );
    const form = new Response(speechForm(fixture('speech-en.ogg')));
    const body = Buffer.from(await form.arrayBuffer());
    const status = await new Promise((resolve, reject) => {
      const sent = httpRequest(`${server.url}/api/asr/vad`, {
        method: 'POST',
        headers: {
          'content-type': form.headers.get('content-type') ?? '',
          connection: 'Upgrade, HTTP2-Settings',
          upgrade: 'h2c',
          'http2-settings': 'AAMAAABkAARAAAAAAAIAAAAA',
        },
      });
      sent.on('response', (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject);
      sent.end(body);
    });
    expect(status).toBe(200);
  });
});

describe('how much', () => {
  test('an item that is too long ends the connection, and says so', async () => {
    await start('words', { limits: { maxAudioMs: 1_500 } });
    await open();
    client.speak(SECOND);
    client.speak(SECOND);
    expect((await client.next('error')).error?.code).toBe('audio_too_long');
    expect(await client.closed).toBe(1009);
  });

  test('what was committed before is answered all the same', async () => {
    await start(null, { limits: { maxAudioMs: 1_500 } });
    await open();
    client.speak(SECOND, true);
    client.speak(SECOND);
    client.speak(SECOND);
    expect((await client.next('error')).error?.code).toBe('audio_too_long');
    await expect.poll(() => fake.calls.length).toBe(1);
    fake.calls[0]?.answer('before');
    expect((await client.next(COMPLETED)).transcript).toBe('before');
    expect(await client.closed).toBe(1009);
  });

  test('so does audio for which there is no room, and all of it is given back', async () => {
    await start('words', { limits: { maxHeldBytes: 100_000 } });
    const other = await openRealtime(server);
    other.speak(SECOND);
    await open();
    client.speak(SECOND);
    client.speak(SECOND);
    expect((await client.next('error')).error?.code).toBe('queue_full');
    expect(await client.closed).toBe(1013);
    other.speak(SECOND, true);
    expect((await other.next(COMPLETED)).transcript).toBe('words');
    other.socket.terminate();
  });

  test('a message that is too large closes with 1009', async () => {
    await start();
    await open();
    client.send('x'.repeat(1024 * 1024 + 1));
    expect(await client.closed).toBe(1009);
  });

  test('one that says nothing is let go, and one that was busy a little later', async () => {
    await start('words', { limits: { headTimeoutMs: 100, realtimeIdleMs: 300 } });
    await open();
    expect(await client.closed).toBe(1000);
    await open();
    client.send(input({}));
    await client.next('session.updated');
    expect(await client.closed).toBe(1000);
  });

  test('who sends nothing but nonsense is shown out', async () => {
    await start();
    await open();
    for (let sent = 0; sent < 60; sent++) client.send('nonsense');
    expect(await client.closed).toBe(1008);
    expect(client.events.filter(({ type }) => type === 'error')).toHaveLength(50);
  });

  test('items count in the rate limit, and the audio stays for a later commit', async () => {
    await start('words', { limits: { maxPerMinute: 2 } });
    await open();
    client.speak(SECOND, true);
    await client.next(COMPLETED);
    client.speak(SECOND, true);
    expect((await client.next('error')).error?.code).toBe('rate_limited');
  });
});

describe('at the end', () => {
  test('a client that leaves stops its work and gives back its memory', async () => {
    await start(null, { limits: { maxUploadsPerClient: 1 } });
    await open();
    client.speak(SECOND, true);
    await expect.poll(() => fake.calls.length).toBe(1);
    client.socket.terminate();
    await expect.poll(() => fake.calls[0]?.signal.aborted).toBe(true);
    fake.calls[0]?.fail(new Error('stopped'));
    const post = () => postSpeech(server, speechForm(fixture('speech-en.wav')));
    let answered = post();
    await expect.poll(() => fake.calls.length).toBe(2);
    fake.calls[1]?.answer('next');
    expect((await answered).status).toBe(200);
    answered = post();
    await expect.poll(() => fake.calls.length).toBe(3);
    fake.calls[2]?.answer('next');
    expect((await answered).status).toBe(200);
  });

  test('a server that stops answers what was committed and closes with 1001', async () => {
    await start(null);
    await open();
    const idle = await openRealtime(server);
    client.speak(SECOND, true);
    await expect.poll(() => fake.calls.length).toBe(1);
    const closing = server.close();
    expect(await idle.closed).toBe(1001);
    await expect(openRealtime(server)).rejects.toThrow('503');
    client.speak(SECOND, true);
    expect((await client.next('error')).error?.code).toBe('shutting_down');
    fake.calls[0]?.answer('the last words');
    expect((await client.next(COMPLETED)).transcript).toBe('the last words');
    expect(await client.closed).toBe(1001);
    await closing;
  });
});
