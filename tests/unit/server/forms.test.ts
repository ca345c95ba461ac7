import { request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createFakeEngine, type FakeEngine } from '../../helpers/fake-engine.ts';
import {
  fixture,
  postSpeech,
  type RunningServer,
  readJson,
  speechForm,
  startServer,
} from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

describe('errors', () => {
  const WAV = waveFile(16_000, tone(440, 16_000, 0.5));
  const LIMITS = { maxUploadBytes: 40_000, maxAudioMs: 1_000 };

  let fake: FakeEngine;
  let server: RunningServer;

  beforeAll(async () => {
    fake = createFakeEngine();
    server = await startServer({ engine: fake.engine, limits: LIMITS });
  });
  afterAll(() => server.close());
  beforeEach(() => fake.set({ kind: 'ready' }));

  /** The valid form with one thing done to it. */
  function spoilt(change: (form: FormData) => void): FormData {
    const form = speechForm(WAV);
    change(form);
    return form;
  }

  const file = (bytes: Uint8Array) => new File([new Uint8Array(bytes)], 'a.wav');

  describe('what is wrong with a request', () => {
    test.each<[string, number, string, FormData]>([
      ['no file', 400, 'file_missing', spoilt((form) => form.delete('audioFile'))],
      [
        'a text in place of the file',
        415,
        'audio_unsupported',
        spoilt((form) => form.set('audioFile', 'x')),
      ],
      ['an empty file', 400, 'file_empty', speechForm(new Uint8Array(0))],
      ['two files', 400, 'field_repeated', spoilt((form) => form.append('audioFile', file(WAV)))],
      [
        'a file of another name',
        400,
        'field_unknown',
        spoilt((form) => form.set('audio', file(WAV))),
      ],
      ['a field nobody knows', 400, 'field_unknown', speechForm(WAV, { removePII: 'true' })],
      ['a field twice', 400, 'field_repeated', spoilt((form) => form.append('fast', 'true'))],
      [
        'a file in place of a field',
        400,
        'field_invalid',
        spoilt((form) => form.set('fast', file(WAV))),
      ],
      ['removePii=yes', 400, 'field_invalid', speechForm(WAV, { removePii: 'yes' })],
      ['fixSpelling=1', 400, 'field_invalid', speechForm(WAV, { fixSpelling: '1' })],
      ['fast=TRUE', 400, 'field_invalid', speechForm(WAV, { fast: 'TRUE' })],
      ['an empty flag', 400, 'field_invalid', speechForm(WAV, { fast: '' })],
      ['no language code', 400, 'field_invalid', speechForm(WAV, { language: 'svenska!' })],
      [
        'a very long language',
        400,
        'field_invalid',
        speechForm(WAV, { language: 'e'.repeat(500) }),
      ],
      [
        'a language it lacks',
        422,
        'language_not_supported',
        speechForm(WAV, { language: 'sv-SE' }),
      ],
      ['a file over the limit', 413, 'upload_too_large', speechForm(new Uint8Array(40_001))],
      [
        'audio over the limit',
        413,
        'audio_too_long',
        speechForm(waveFile(8_000, tone(9, 8_000, 1.1))),
      ],
      ['AAC', 415, 'audio_unsupported', speechForm(fixture('speech-en-aac.mp4'))],
      ['no audio at all', 415, 'audio_unsupported', speechForm(Buffer.from('Diktera '.repeat(99)))],
      [
        'a damaged file',
        422,
        'audio_corrupted',
        speechForm(fixture('speech-en.mp4').slice(0, 9_000)),
      ],
      ['a wave header cut in two', 422, 'audio_corrupted', speechForm(WAV.slice(0, 30))],
    ])('%s: %i %s', async (_, status, code, form) => {
      const answer = await postSpeech(server, form);
      expect(answer.body.error?.code).toBe(code);
      expect(answer.status).toBe(status);
      expect(answer.body.error?.message).toMatch(/\w.*\.$/);
      expect(answer.headers.get('content-type')).toContain('application/json');
    });

    test('says of AAC that it is AAC, and what to send', async () => {
      const { body } = await postSpeech(server, speechForm(fixture('speech-en-aac.mp4')));
      expect(body.error?.message).toMatch(/AAC.*Opus/);
    });

    test.each([
      ['JSON', { 'content-type': 'application/json' }, '{}', 415, 'not_multipart'],
      ['bare audio', { 'content-type': 'audio/wav' }, 'RIFF', 415, 'not_multipart'],
      ['nothing', {}, undefined, 415, 'not_multipart'],
      [
        'a form without boundary',
        { 'content-type': 'multipart/form-data' },
        'x',
        400,
        'form_malformed',
      ],
      [
        'a form cut off',
        { 'content-type': 'multipart/form-data; boundary=b' },
        '--b\r\nContent-Disposition: form-data; name="fast"\r\n\r\ntr',
        400,
        'form_malformed',
      ],
      [
        'a file cut off',
        { 'content-type': 'multipart/form-data; boundary=b' },
        '--b\r\nContent-Disposition: form-data; name="audioFile"; filename="a.wav"\r\n\r\nRIFF',
        400,
        'form_malformed',
      ],
    ])('a body of %s', async (_, headers, body, status, code) => {
      const init = { method: 'POST', headers, ...(body === undefined ? {} : { body }) };
      const answer = await readJson(fetch(`${server.url}/api/asr/vad`, init as RequestInit));
      expect(answer.body.error?.code).toBe(code);
      expect(answer.status).toBe(status);
    });

    test('a body that claims to be huge is refused before it is sent', async () => {
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const request = httpRequest(`${server.url}/api/asr/vad`, {
          method: 'POST',
          headers: { 'content-type': 'multipart/form-data; boundary=b', 'content-length': 1e9 },
        });
        request.on('response', (response) => {
          resolve(response.statusCode);
          request.destroy();
        });
        request.on('error', reject);
        request.flushHeaders();
      });
      expect(status).toBe(413);
    });

    test.each([
      ['', 400],
      ['k'.repeat(201), 400],
      ['two words', 400],
      ['chunk-1', 200],
    ])('Idempotency-Key "%s" gives %i', async (key, status) => {
      const answer = await postSpeech(server, speechForm(WAV), {
        headers: { 'idempotency-key': key },
      });
      expect(answer.status).toBe(status);
      if (status === 400) expect(answer.body.error?.code).toBe('idempotency_key_invalid');
    });

    test('fields may be left out, and stand before or after the file', async () => {
      const bare = new FormData();
      bare.set('language', 'en-GB');
      bare.set('audioFile', file(WAV));
      bare.set('fast', 'false');
      const { status, body } = await postSpeech(server, bare);
      expect(status).toBe(200);
      expect(body).toMatchObject({ transcription: 'fever', language: 'en' });
      // The page's defaults: removePii is wished, fixSpelling is not.
      expect(body.textRules).toEqual({ removePii: 'inactive', fixSpelling: 'off' });
      expect(fake.calls.at(-1)).toMatchObject({ language: 'en', fast: false });
    });

    test('an engine that fails gives 500 without its message', async () => {
      const failing = createFakeEngine(null);
      const other = await startServer({ engine: failing.engine });
      const answer = postSpeech(other, speechForm(WAV));
      await expect.poll(() => failing.calls.length).toBe(1);
      failing.calls[0]?.fail(new Error('secret words'));
      expect((await answer).status).toBe(500);
      expect((await answer).body.error).toEqual({
        code: 'engine_failed',
        message: 'The speech could not be recognised; try again.',
      });
      await other.close();
    });

    test.each([
      ['GET', '/api/asr/vad', 405, 'method_not_allowed'],
      ['POST', '/api/health', 405, 'method_not_allowed'],
      ['GET', '/api/nothing', 404, 'not_found'],
      ['GET', '/api', 404, 'not_found'],
      ['GET', '/api/%zz', 400, 'request_invalid'],
    ])('%s %s: %i %s', async (method, path, status, code) => {
      const answer = await readJson(fetch(server.url + path, { method }));
      expect(answer.status).toBe(status);
      expect(answer.body.error?.code).toBe(code);
      expect(answer.headers.has('allow')).toBe(status === 405);
    });
  });
});

describe('small refusals', () => {
  const WAV = waveFile(16_000, tone(440, 16_000, 0.5));
  const PAGE = 'https://app.example.com';

  let fake: FakeEngine;
  let server: RunningServer;
  beforeAll(async () => {
    fake = createFakeEngine('words');
    const access = { allowedOrigins: [PAGE] };
    const engine = {
      ...fake.engine,
      description: { ...fake.engine.description, model: 'a/model' },
    };
    server = await startServer({ engine, access });
  });
  afterAll(() => server.close());

  function post(path: string, body: BodyInit, headers: Record<string, string> = {}) {
    return fetch(`${server.url}${path}`, { method: 'POST', body, headers });
  }
  function formOf(file: string, fields: Readonly<Record<string, string>> = {}) {
    const form = new FormData();
    form.set(file, new File([new Uint8Array(WAV)], 'a.wav'));
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    return form;
  }
  const codeOf = async (answer: Response) =>
    ((await answer.json()) as { error?: { code: string } }).error?.code;

  describe('what programs write in the form of OpenAI', () => {
    test.each([
      ['stream', 'False'],
      ['stream', 'false'],
      ['stream', ''],
      ['stream', 'None'],
      ['response_format', ''],
      ['response_format', 'JSON'],
      ['response_format', 'null'],
      ['removePii', 'False'],
      ['language', 'auto'],
      ['language', 'en_US'],
      ['language', 'English'],
      ['language', 'null'],
      ['language', 'und'],
    ])('%s=%s is understood', async (name, value) => {
      const answer = await post('/v1/audio/transcriptions', formOf('file', { [name]: value }));
      expect(await answer.json()).toMatchObject({ text: 'words' });
    });

    test('stream=True is a stream', async () => {
      const answer = await post('/v1/audio/transcriptions', formOf('file', { stream: 'True' }));
      expect(answer.headers.get('content-type')).toContain('text/event-stream');
    });

    test.each([
      ['stream', 'yes'],
      ['response_format', 'diarized_json'],
      ['removePii', ''],
      ['removePii', 'ja'],
    ])('%s=%s is refused', async (name, value) => {
      const answer = await post('/v1/audio/transcriptions', formOf('file', { [name]: value }));
      expect([answer.status, await codeOf(answer)]).toEqual([400, 'field_invalid']);
    });

    test('a language nobody said has a name in no answer', async () => {
      const form = formOf('file', { language: 'und', response_format: 'verbose_json' });
      const answer = await post('/v1/audio/transcriptions', form);
      expect(await answer.json()).toMatchObject({ language: 'english' });
    });
  });

  describe('the file of a form', () => {
    const part = (head: string, name: string) => {
      const start = `--b\r\nContent-Disposition: form-data; name="${name}"${head}\r\n\r\n`;
      return Buffer.concat([Buffer.from(start), Buffer.from(WAV), Buffer.from('\r\n--b--\r\n')]);
    };
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };

    test.each([
      '\r\nContent-Type: audio/wav',
      '\r\nContent-Type: audio/webm;codecs=opus',
      '\r\nContent-Type: video/webm',
      '\r\nContent-Type: application/octet-stream',
      '; filename="a.wav"',
      '; filename=""\r\nContent-Type: audio/wav',
      '',
    ])('with the head %j is taken, on both addresses', async (head) => {
      expect((await post('/api/asr/vad', part(head, 'audioFile'), headers)).status).toBe(200);
      expect((await post('/v1/audio/transcriptions', part(head, 'file'), headers)).status).toBe(
        200,
      );
    });

    test.each(['gzip', 'br', 'deflate, gzip'])('packed with %s is 415', async (encoding) => {
      const packed = gzipSync(part('\r\nContent-Type: audio/wav', 'audioFile'));
      const answer = await post('/api/asr/vad', packed, {
        ...headers,
        'content-encoding': encoding,
      });
      expect([answer.status, await codeOf(answer)]).toEqual([415, 'encoding_unsupported']);
    });

    test('that is packed as it is, is not', async () => {
      const plain = { ...headers, 'content-encoding': 'identity' };
      expect((await post('/api/asr/vad', part('; filename="a"', 'audioFile'), plain)).status).toBe(
        200,
      );
    });
  });

  test('one model is found by its name, written in either way', async () => {
    for (const name of ['a/model', 'a%2Fmodel']) {
      const answer = await fetch(`${server.url}/v1/models/${name}`);
      expect(answer.status).toBe(200);
      expect(await answer.json()).toEqual({
        id: 'a/model',
        object: 'model',
        created: 0,
        owned_by: 'diktera',
      });
    }
    const unknown = await fetch(`${server.url}/v1/models/gpt-4`);
    expect([unknown.status, await codeOf(unknown)]).toEqual([404, 'not_found']);
  });

  test("a balancer's default check is answered", async () => {
    const answer = await fetch(`${server.url}/`, { method: 'OPTIONS' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([204, 'GET, HEAD']);
  });

  describe('a page of an allowed origin', () => {
    const preflight = (path: string, headers: string, origin = PAGE) =>
      fetch(`${server.url}${path}`, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': headers,
        },
      });

    test("may send all that OpenAI's own client sends, and our own", async () => {
      const sent = new Set<string>();
      const client = new OpenAI({
        apiKey: 'k',
        baseURL: `${server.url}/v1`,
        fetch: (url, init) => {
          for (const [name] of new Headers(init?.headers)) sent.add(name);
          return fetch(url, init);
        },
      });
      const file = await toFile(Buffer.from(WAV), 'a.wav');
      await client.audio.transcriptions.create({ file, model: 'm' }, { timeout: 9_000 });
      expect([...sent].some((name) => name.startsWith('x-stainless-'))).toBe(true);
      const others = [
        'idempotency-key',
        'traceparent',
        'x-request-id',
        'openai-organization',
        'api-key',
      ];
      const asked = [...sent, ...others];
      for (const path of [
        '/v1/audio/transcriptions',
        '/v1/models',
        '/v1/models/x',
        '/api/asr/vad',
      ]) {
        const answer = await preflight(path, asked.join(', '));
        expect(answer.status).toBe(204);
        expect(answer.headers.get('access-control-allow-origin')).toBe(PAGE);
        const allowed = answer.headers.get('access-control-allow-headers')?.split(', ') ?? [];
        expect(allowed).toEqual(asked);
        expect(answer.headers.get('vary')).toContain('access-control-request-headers');
      }
    });

    test('is told of no header that is for our own pages or is none, and no other page of any', async () => {
      const own = await preflight('/api/asr/vad', 'x-diktera-models, a b, authorization');
      expect(own.headers.get('access-control-allow-headers')).toBe('authorization');
      const other = await preflight('/api/asr/vad', 'authorization', 'https://evil.example');
      expect(other.status).toBe(403);
      expect(other.headers.get('access-control-allow-headers')).toBeNull();
    });
  });
});
