import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../server/core/system-clock.ts';
import { createOpenAiEngine } from '../../../server/engine/openai-engine.ts';
import { type RealtimeStub, type Script, startRealtimeStub } from '../../helpers/realtime-stub.ts';
import {
  postSpeech,
  type RunningServer,
  speechForm,
  startServer,
} from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

/**
 * The contract with speech servers that have their model behind a WebSocket only, against a
 * stand-in that keeps the published events; no OpenAI, speaches or Berget runs here.
 */
let stub: RealtimeStub;
let server: RunningServer | null = null;
beforeEach(async () => {
  stub = await startRealtimeStub();
});
afterEach(async () => {
  await server?.close();
  server = null;
  await stub.close();
});

const ITEM = 'conversation.item.input_audio_transcription';
const COMMIT = 'input_audio_buffer.commit';
const SPEECH = tone(440, 16_000, 2.5);
const never = new AbortController().signal;
const completed = (id: string, transcript: unknown) => ({
  type: `${ITEM}.completed`,
  item_id: id,
  content_index: 0,
  transcript,
});
const committed = (id: string) => ({ type: 'input_audio_buffer.committed', item_id: id });

const engineOf = (timeoutMs = 20_000) =>
  createOpenAiEngine(
    {
      baseUrl: stub.baseUrl,
      apiKey: 'sk-hush',
      model: 'pianissimo',
      fastModel: 'pianissimo-fast',
      languages: ['sv', 'en'],
      defaultLanguage: null,
      prompt: 'Diktera',
      isRealtime: true,
      timeoutMs,
    },
    { fetch: globalThis.fetch, clock: systemClock, random: () => 0.5 },
  );
const ask = (signal = never, timeoutMs?: number) =>
  engineOf(timeoutMs).transcribe(SPEECH, { language: 'sv', fast: false }, signal);

/** Answers as documented, with deltas before the end. */
const polite: Script = async ({ say, next }) => {
  say({ type: 'session.created', session: {} });
  await next('session.update');
  say({ type: 'session.updated', session: {} });
  await next(COMMIT);
  say(committed('item_1'));
  say({ type: 'conversation.item.added', item: { id: 'item_1' } });
  say({ type: `${ITEM}.delta`, item_id: 'item_1', delta: 'Hej' });
  say({ type: `${ITEM}.delta`, item_id: 'item_1', delta: ' på dig.' });
  say(completed('item_1', ' Hej på dig. '));
};

test('sends model, language, words, and the audio at 24 kHz, and gives the text', async () => {
  stub.play(polite);
  expect(await ask()).toEqual({ text: 'Hej på dig.', language: 'sv' });
  const [request] = stub.requests;
  expect(request?.url).toBe('/v1/realtime?intent=transcription');
  expect(request?.headers.authorization).toBe('Bearer sk-hush');
  expect(stub.sent[0]).toEqual({
    type: 'session.update',
    session: {
      type: 'transcription',
      audio: {
        input: {
          format: { type: 'audio/pcm', rate: 24_000 },
          transcription: { model: 'pianissimo', language: 'sv', prompt: 'Diktera' },
          turn_detection: null,
        },
      },
    },
  });
  const appended = stub.sent.filter(({ type }) => type === 'input_audio_buffer.append');
  expect(appended.length).toBeGreaterThan(2);
  const bytes = Buffer.concat(appended.map(({ audio }) => Buffer.from(String(audio), 'base64')));
  const samples = new Int16Array(new Uint8Array(bytes).buffer);
  expect(samples.length / 24_000).toBeCloseTo(2.5, 2);
  const rootMeanSquare = Math.sqrt(
    samples.reduce((sum, value) => sum + (value / 32_767) ** 2, 0) / samples.length,
  );
  expect(rootMeanSquare).toBeCloseTo(0.5 / Math.SQRT2, 2);
  expect(stub.sent.at(-1)?.type).toBe(COMMIT);
  await expect.poll(() => stub.open()).toBe(0);
});

test('the fast model is asked where it is wished, and no language where none is known', async () => {
  stub.play(polite);
  const { text, language } = await engineOf().transcribe(
    SPEECH,
    { language: '', fast: true },
    never,
  );
  expect([text, language]).toEqual(['Hej på dig.', '']);
  expect(JSON.stringify(stub.sent[0])).toContain(
    '"transcription":{"model":"pianissimo-fast","prompt"',
  );
});

describe('items in any order', () => {
  test('a server that finds turns by itself: the texts stand in the order they were spoken', async () => {
    stub.play(async ({ say, next }) => {
      await next('input_audio_buffer.append');
      say(committed('a'));
      say(committed('b'));
      say(completed('b', 'tvåan'));
      await next(COMMIT);
      say(committed('c'));
      say(completed('c', ''));
      say(completed('a', 'ettan'));
    });
    expect((await ask()).text).toBe('ettan tvåan');
  });

  test('one that has committed everything before says that nothing is left', async () => {
    stub.play(async ({ say, next }) => {
      await next('input_audio_buffer.append');
      say(committed('a'));
      await next(COMMIT);
      say({ type: 'error', error: { code: 'input_audio_buffer_commit_empty', message: 'empty' } });
      say(completed('a', 'allt'));
    });
    expect((await ask()).text).toBe('allt');
  });

  test('a text that comes before its item is known counts', async () => {
    stub.play(async ({ say, next }) => {
      await next(COMMIT);
      say(completed('a', 'först'));
      say(committed('a'));
    });
    expect((await ask()).text).toBe('först');
  });
});

describe('what goes wrong', () => {
  const failsWith = (error: object): Script => {
    return async ({ say, next }) => {
      await next(COMMIT);
      say(committed('a'));
      say({ type: `${ITEM}.failed`, item_id: 'a', error });
    };
  };
  test.each<[string, string, number, Script]>([
    [
      'an item that fails',
      'engine_unreachable',
      503,
      failsWith({ type: 'server_error', code: null, message: 'secret' }),
    ],
    ['too much to do', 'engine_busy', 503, failsWith({ code: 'rate_limit_exceeded' })],
    [
      'a model it does not have',
      'engine_refused',
      502,
      async ({ say, next }) => {
        await next('session.update');
        say({ type: 'error', error: { type: 'invalid_request_error', code: 'model_not_found' } });
      },
    ],
    [
      'a connection that breaks in the middle',
      'engine_unreachable',
      503,
      async ({ socket, next }) => {
        await next('input_audio_buffer.append');
        socket.terminate();
      },
    ],
    [
      'one that is closed before the text',
      'engine_unreachable',
      503,
      async ({ socket, say, next }) => {
        await next(COMMIT);
        say(committed('a'));
        socket.close(1000);
      },
    ],
    ['no JSON', 'engine_answer_wrong', 502, ({ say }) => say('<html>')],
    ['JSON that is no event', 'engine_answer_wrong', 502, ({ say }) => say('7')],
    ['bytes', 'engine_answer_wrong', 502, ({ socket }) => socket.send(Buffer.from([1, 2]))],
    [
      'a text that is none',
      'engine_answer_wrong',
      502,
      async ({ say, next }) => {
        await next(COMMIT);
        say(committed('a'));
        say(completed('a', { no: 'text' }));
      },
    ],
    [
      'one event that is too long',
      'engine_answer_wrong',
      502,
      ({ say }) => say({ type: 'x', text: 'x'.repeat(400_000) }),
    ],
    [
      'events without end',
      'engine_answer_wrong',
      502,
      ({ say }) => {
        const event = { type: `${ITEM}.delta`, item_id: 'a', delta: 'x'.repeat(10_000) };
        for (let said = 0; said < 100; said++) say(event);
      },
    ],
  ])('%s', async (_, code, status, script) => {
    stub.play(script);
    const error = await ask().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, status });
    expect(JSON.stringify(error)).not.toContain('secret');
    await expect.poll(() => stub.open()).toBe(0);
  });

  test.each<[number, Record<string, string>, string, number | null]>([
    [401, {}, 'engine_refused', null],
    [404, {}, 'engine_refused', null],
    [302, { location: 'http://127.0.0.1:1/' }, 'engine_refused', null],
    [429, { 'retry-after': '7' }, 'engine_busy', 7],
    [503, {}, 'engine_unreachable', 5],
  ])('a connection that is refused with %i', async (status, headers, code, retryAfterS) => {
    stub.refuse(status, headers);
    await expect(ask()).rejects.toMatchObject({ code, retryAfterS });
  });

  test('nobody listens there', async () => {
    await stub.close();
    await expect(ask()).rejects.toMatchObject({ code: 'engine_unreachable', status: 503 });
    stub = await startRealtimeStub();
  });

  test('one that is too slow has its time and no more', async () => {
    stub.play(async ({ say, next }) => {
      await next(COMMIT);
      say(committed('a'));
    });
    await expect(ask(never, 200)).rejects.toMatchObject({ code: 'engine_timeout', status: 504 });
    await expect.poll(() => stub.open()).toBe(0);
  });

  test('whoever leaves ends it', async () => {
    const leaving = new AbortController();
    stub.play(async ({ next }) => {
      await next(COMMIT);
      leaving.abort(new Error('gone'));
    });
    await expect(ask(leaving.signal)).rejects.toThrow('gone');
    await expect.poll(() => stub.open()).toBe(0);
    await expect(ask(leaving.signal)).rejects.toThrow('gone');
  });
});

test('behind our own server it writes previews and finals', async () => {
  stub.play(polite);
  server = await startServer({ engine: engineOf() });
  const { url } = server;
  await expect.poll(async () => (await fetch(`${url}/api/health`)).status).toBe(200);
  for (const preview of ['true', 'false']) {
    const form = speechForm(waveFile(16_000, SPEECH), { preview, language: 'sv' });
    const { status, body } = await postSpeech(server, form);
    expect([status, body.transcription]).toEqual([200, 'Hej på dig.']);
  }
});
