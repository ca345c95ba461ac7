import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decodeAudio } from '../../../server/audio/decode-audio.ts';
import { systemClock } from '../../../server/core/system.ts';
import { languageCodeOf, retryAfterMsOf } from '../../../server/engine/ask-upstream.ts';
import type { TranscriptionEngine } from '../../../server/engine/engine-port.ts';
import { createOpenAiEngine } from '../../../server/engine/openai-engine.ts';
import { createUpstreamWatch, type ProbeResult } from '../../../server/engine/upstream-watch.ts';
import { createWhisperCppEngine } from '../../../server/engine/whisper-cpp-engine.ts';
import { createTextRules } from '../../../server/text/create-text-rules.ts';
import type { Clock } from '../../../src/core/clock.ts';
import { createFakeClock } from '../../helpers/fake-clock.ts';
import {
  postSpeech,
  type RunningServer,
  readJson,
  speechForm,
  startServer,
} from '../../helpers/running-server.ts';
import { json, startUpstreamStub, type UpstreamStub } from '../../helpers/upstream-stub.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

describe('requests', () => {
  /**
   * Contracts with other servers, over real HTTP against a stub that speaks their protocol as
   * documented; no OpenAI, speaches or vLLM runs here. `whisper-cpp.test.ts` has what can be asked of
   * whisper.cpp itself.
   */
  let stub: UpstreamStub;
  let server: RunningServer | null = null;
  beforeEach(async () => {
    stub = await startUpstreamStub();
  });
  afterEach(async () => {
    await server?.close();
    server = null;
    await stub.close();
  });

  /** Waits are a hundredth as long as real ones. */
  const ports = {
    fetch: globalThis.fetch,
    clock: {
      ...systemClock,
      after: (ms: number, run: () => void) => systemClock.after(ms / 100, run),
    },
    random: () => 0.5,
  };
  const common = { languages: ['sv', 'en'], defaultLanguage: null, prompt: '', timeoutMs: 100_000 };

  const openAi = (
    over: Partial<Parameters<typeof createOpenAiEngine>[0]> = {},
    clock: Clock = ports.clock,
  ) =>
    createOpenAiEngine(
      {
        ...common,
        baseUrl: `${stub.url}/v1`,
        apiKey: 'sk-hush',
        model: 'kb-whisper-small',
        fastModel: null,
        ...over,
      },
      { ...ports, clock },
    );
  const whisperCpp = (over: Partial<Parameters<typeof createWhisperCppEngine>[0]> = {}) =>
    createWhisperCppEngine({ ...common, url: stub.url, model: 'ggml-small', ...over }, ports);

  async function serve(engine: TranscriptionEngine) {
    server = await startServer({ engine });
    const { url } = server;
    await expect.poll(async () => (await fetch(`${url}/api/health`)).status).toBe(200);
    return server;
  }

  const SPEECH = tone(440, 16_000, 0.5);
  const inNinetySeconds = () => ({ 'retry-after': new Date(Date.now() + 90_000).toUTCString() });
  const send = (at: RunningServer, fields = {}) =>
    postSpeech(at, speechForm(waveFile(16_000, SPEECH), fields));

  describe('openai', () => {
    test('sends a wave file with model, language and key, and gives the text', async () => {
      stub.reply(json(200, { text: ' Hej på dig. ' }));
      const { status, body } = await send(await serve(openAi({ prompt: 'Diktera' })), {
        language: 'sv-SE',
      });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        transcription: 'Hej på dig.',
        language: 'sv',
        engine: 'openai',
        model: 'kb-whisper-small',
      });
      const [call] = stub.calls;
      expect(call).toMatchObject({ method: 'POST', path: '/v1/audio/transcriptions' });
      expect(call?.headers.authorization).toBe('Bearer sk-hush');
      const { file, ...fields } = call?.fields ?? {};
      expect(fields).toEqual({
        model: 'kb-whisper-small',
        response_format: 'verbose_json',
        temperature: '0',
        language: 'sv',
        prompt: 'Diktera',
      });
      const { samples } = await decodeAudio(file as Uint8Array, 60_000);
      expect(samples).toHaveLength(SPEECH.length);
      const furthest = Math.max(...samples.map((sample, at) => Math.abs(sample - SPEECH[at]!)));
      expect(furthest).toBeLessThan(1e-4);
    });

    test("tells the model the operator's words, then the person's, and what comes back of them goes", async () => {
      stub.reply(json(200, { text: 'Diktera Sjöqvist, Waran' }), json(200, { text: 'Feber.' }));
      const at = await serve(openAi({ prompt: 'Diktera' }));
      const health = await (await fetch(`${at.url}/api/health`)).json();
      expect(health).toMatchObject({ vocabularyCharacters: 793 });
      const { body } = await send(at, { language: 'sv', vocabulary: 'Sjöqvist, Waran' });
      expect(body).toMatchObject({ transcription: 'Feber.' });
      expect(stub.calls.map(({ fields }) => fields.prompt)).toEqual([
        'Diktera Sjöqvist, Waran',
        undefined,
      ]);
    });

    test('without a language or key sends none, and fast takes the fast model', async () => {
      const at = await serve(openAi({ apiKey: null, fastModel: 'tiny' }));
      await send(at, { fast: 'true' });
      await send(at, { fast: 'false' });
      expect(stub.calls.map(({ fields }) => fields.model)).toEqual(['tiny', 'kb-whisper-small']);
      expect(stub.calls[0]?.fields).not.toHaveProperty('language');
      expect(stub.calls[0]?.headers.authorization).toBeUndefined();
    });

    test('asks for the language it found, and reports it', async () => {
      stub.reply(
        json(200, { text: 'Feber', language: 'swedish' }),
        json(200, { text: '', language: 7 }),
      );
      const at = await serve(openAi());
      expect((await send(at)).body).toMatchObject({ transcription: 'Feber', language: 'sv' });
      expect((await send(at)).body.language).toBe('');
      expect(stub.calls[0]?.fields.response_format).toBe('verbose_json');
    });

    test('a model without such an answer is asked for the short one, and only once for both', async () => {
      stub.reply(json(400, { error: {} }), json(200, { text: 'Feber' }));
      const at = await serve(openAi());
      expect((await send(at)).body).toMatchObject({ transcription: 'Feber', language: '' });
      await send(at);
      const formats = stub.calls.map(({ fields }) => fields.response_format);
      expect(formats).toEqual(['verbose_json', 'json', 'json']);
    });

    test('a server that fell over the long answer is asked for it again in ten minutes', async () => {
      const [broken, words] = [json(500, {}), json(200, { text: 'Feber' })];
      stub.reply(broken, broken, broken, words);
      let laterMs = 0;
      const nowMs = () => systemClock.nowMs() + laterMs;
      const at = await serve(openAi({}, { ...ports.clock, nowMs }));
      expect((await send(at)).body.transcription).toBe('Feber');
      await send(at);
      laterMs = 600_001;
      await send(at);
      const formats = stub.calls.map(({ fields }) => fields.response_format);
      const long = 'verbose_json';
      expect(formats).toEqual([long, long, long, 'json', 'json', long]);
    });

    test('a refused key is seen before anybody asks', async () => {
      stub.health.status = 401;
      server = await startServer({ engine: openAi() });
      const { url } = server;
      const health = () => readJson(fetch(`${url}/api/health`));
      await expect
        .poll(async () => (await health()).body)
        .toMatchObject({ status: 'failed', reason: 'the speech server refuses the key' });
      expect((await send(server)).body.error?.code).toBe('engine_failed');
      stub.health.status = 200;
      await expect.poll(async () => (await health()).status).toBe(200);
    });
  });

  describe('whisper.cpp', () => {
    test('asks /inference, detects the language, searches wider when not fast', async () => {
      stub.reply(json(200, { text: ' Hej\n [BLANK_AUDIO]\n på dig.\n' }));
      const at = await serve(whisperCpp());
      const { body } = await send(at, { fast: 'false' });
      expect(body).toMatchObject({
        transcription: 'Hej på dig.',
        language: '',
        engine: 'whisper.cpp',
      });
      await send(at, { language: 'sv' });
      const sent = stub.calls.map(({ path, fields: { file: _, ...fields } }) => ({
        path,
        ...fields,
      }));
      const always = {
        path: '/inference',
        temperature: '0.0',
        split_on_word: 'true',
        no_language_probabilities: 'true',
      };
      const thorough = { beam_size: '5', best_of: '5' };
      const fast = { beam_size: '1', best_of: '1' };
      expect(sent).toEqual([
        { ...always, ...thorough, language: 'auto', response_format: 'verbose_json' },
        { ...always, ...fast, language: 'sv', response_format: 'verbose_json' },
      ]);
    });

    test('is loading while its model is', async () => {
      stub.health.status = 503;
      server = await startServer({ engine: whisperCpp() });
      const { url } = server;
      const health = async () => (await readJson(fetch(`${url}/api/health`))).body.status;
      await expect.poll(health).toBe('loading');
      expect((await send(server)).body.error?.code).toBe('engine_loading');
      stub.health.status = 200;
      await expect.poll(health).toBe('ready');
    });

    test('its answer to what it cannot read is a refusal', async () => {
      stub.reply({
        status: 400,
        headers: { 'content-type': 'text/plain' },
        body: 'Invalid request',
      });
      const { status, body } = await send(await serve(whisperCpp()));
      expect([status, body.error?.code]).toEqual([502, 'engine_refused']);
    });
  });

  test.each([
    ['openai', () => openAi()],
    ['whisper.cpp', () => whisperCpp()],
  ])('%s: a number that goes on in the next line of an answer is masked', async (_, make) => {
    const lines = [' Mitt personnummer är åttiofem noll', ' sju noll nio nittioåtta noll fem.', ''];
    stub.reply(json(200, { text: lines.join('\n') }));
    const textRules = createTextRules({
      spellers: { load: async () => undefined, of: () => null },
      onFailure: (error) => expect.fail(String(error)),
    });
    server = await startServer({ engine: make(), textRules });
    const { url } = server;
    await expect.poll(async () => (await fetch(`${url}/api/health`)).status).toBe(200);
    const { body } = await send(server, { language: 'sv', removePii: 'true' });
    expect(body.transcription).toBe('Mitt personnummer är [personnummer].');
  });

  describe('what goes wrong there', () => {
    const text = json(200, { text: 'hello' });
    test.each([
      ['408, then text', [json(408, {}), text], 200, undefined, 2],
      ['409, then text', [json(409, {}), text], 200, undefined, 2],
      ['429 twice, then text', [json(429, {}), json(429, {}), text], 200, undefined, 3],
      ['500, then text', [json(500, {}), text], 200, undefined, 2],
      ['a cut connection, then text', ['cut' as const, text], 200, undefined, 2],
      [
        '429 without credit',
        [json(429, { error: { code: 'insufficient_quota', message: 'You exceeded your quota' } })],
        502,
        'engine_refused',
        1,
      ],
      ['429 for ever', [json(429, {})], 503, 'engine_busy', 3],
      ['503 for ever', [json(503, {})], 503, 'engine_unreachable', 3],
      ['cut connections for ever', ['cut' as const], 503, 'engine_unreachable', 3],
      ['400, in both forms', [json(400, { detail: 'no' })], 502, 'engine_refused', 2],
      ['401', [json(401, {})], 502, 'engine_refused', 1],
      ['403 of speaches', [json(403, { detail: 'Invalid API key' })], 502, 'engine_refused', 1],
      ['404, no such model', [json(404, {})], 502, 'engine_refused', 1],
      ['413', [json(413, {})], 413, 'audio_too_long', 1],
      ['415', [json(415, {})], 502, 'engine_refused', 1],
      ['422, in both forms', [json(422, {})], 502, 'engine_refused', 2],
      ['a redirect', [json(302, {}, { location: '/elsewhere' })], 502, 'engine_refused', 1],
      ['no JSON', [{ status: 200, body: '<html>' }], 502, 'engine_answer_wrong', 1],
      ['JSON without text', [json(200, { error: 'no' })], 502, 'engine_answer_wrong', 1],
      ['text that is no text', [json(200, { text: 7 })], 502, 'engine_answer_wrong', 1],
    ])('%s', async (_, behaviours, status, code, asked) => {
      stub.reply(...behaviours);
      const at = await serve(openAi());
      const answer = await send(at, { language: 'sv' });
      expect([answer.status, answer.body.error?.code]).toEqual([status, code]);
      expect(stub.calls).toHaveLength(asked);
      expect(answer.headers.has('retry-after')).toBe(status === 503);
    });

    test.each([
      ['retry-after in seconds', () => ({ 'retry-after': '42' }), '42', 1],
      ['retry-after as a date', inNinetySeconds, /^(8\d|90)$/, 1],
      ['retry-after-ms', () => ({ 'retry-after-ms': '20500' }), '21', 1],
      ['a short one, waited for', () => ({ 'retry-after': '1' }), '1', 3],
      ['an absurd one', () => ({ 'retry-after': '999999999' }), '600', 1],
      ['nonsense', () => ({ 'retry-after': 'soon' }), '5', 3],
    ])('%s is passed on', async (_, headers, retryAfter, asked) => {
      const at = await serve(openAi());
      // A date is made when it is needed: on a busy machine the server's start takes its time.
      stub.reply(json(429, {}, headers()));
      const answer = await send(at);
      expect(answer.headers.get('retry-after')).toMatch(retryAfter);
      expect(stub.calls).toHaveLength(asked);
    });

    test('no answer in time is 504', async () => {
      stub.reply('silent');
      const { status, body } = await send(await serve(openAi({ timeoutMs: 5_000 })));
      expect([status, body.error?.code]).toEqual([504, 'engine_timeout']);
    });

    test('nobody there: refused at once instead of waiting', async () => {
      const engine = openAi({ baseUrl: 'http://127.0.0.1:9/v1' });
      server = await startServer({ engine });
      await expect.poll(() => engine.state().kind).toBe('failed');
      expect((await send(server)).body.error?.message).toContain('cannot be reached');
    });

    test('a client that goes away ends the request there, too', async () => {
      stub.reply('silent');
      const engine = openAi();
      await engine.start();
      const leaving = new AbortController();
      const lost = engine.transcribe(SPEECH, { language: 'sv', fast: false }, leaving.signal);
      await expect.poll(() => stub.calls.length).toBe(1);
      leaving.abort(new Error('gone'));
      await expect(lost).rejects.toThrow('gone');
      await expect(
        engine.transcribe(SPEECH, { language: 'sv', fast: false }, leaving.signal),
      ).rejects.toThrow('gone');
    });

    test('neither key nor body of the upstream reaches the client', async () => {
      stub.reply(json(400, { error: { message: 'secret words, key sk-hush' } }));
      const { body } = await send(await serve(openAi()));
      expect(JSON.stringify(body)).not.toMatch(/hush|secret/);
    });
  });
});

describe('the watch', () => {
  /** A watch over a server that is as `seen` says, and how often it has been looked for. */
  function setUp() {
    const clock = createFakeClock();
    const seen: { state: ProbeResult; looks: number } = { state: { kind: 'loading' }, looks: 0 };
    const probe = async () => {
      seen.looks += 1;
      return seen.state;
    };
    return { clock, seen, watch: createUpstreamWatch(probe, clock) };
  }

  test('looks every two seconds until the server is ready', async () => {
    const { clock, seen, watch } = setUp();
    await watch.start();
    await clock.advance(4_000);
    expect(seen.looks).toBe(3);
    seen.state = { kind: 'ready' };
    await clock.advance(20_000);
    expect(seen.looks).toBe(4);
  });

  test('ended while it looks, it does not look again', async () => {
    const { clock, seen, watch } = setUp();
    const looking = watch.start();
    watch.end();
    await looking;
    await clock.advance(20_000);
    expect(seen.looks).toBe(1);
  });
});

describe('waits', () => {
  const NOW_MS = Date.UTC(2026, 0, 1);

  test.each<[string, Record<string, string>, number | null]>([
    ['none', {}, null],
    ['whole seconds', { 'retry-after': '20' }, 20_000],
    ['a fraction of a second', { 'retry-after': '1.5' }, 1_500],
    ['a date', { 'retry-after': 'Thu, 01 Jan 2026 00:00:05 GMT' }, 5_000],
    ['a date that is over', { 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
    ['less than nothing', { 'retry-after': '-5' }, null],
    ['no date', { 'retry-after': '2027-01' }, null],
    ['milliseconds', { 'retry-after-ms': '250', 'retry-after': '9' }, 250],
  ])('an engine that asks to wait: %s', (_name, headers, waitMs) => {
    expect(retryAfterMsOf(new Headers(headers), NOW_MS)).toBe(waitMs);
  });
});

describe('names of languages', () => {
  test.each([
    ['swedish', 'sv'],
    ['Swedish', 'sv'],
    ['sv', 'sv'],
    ['english', 'en'],
    ['norwegian', 'no'],
    ['nynorsk', 'nn'],
    ['haitian creole', 'ht'],
    ['myanmar', 'my'],
    ['jw', 'jv'],
    ['klingon', ''],
    ['', ''],
    [undefined, ''],
    [7, ''],
  ])('the language %j is %j', (reported, code) => {
    expect(languageCodeOf(reported)).toBe(code);
  });
});
