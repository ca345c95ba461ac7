import { request as httpRequest } from 'node:http';
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
      400,
      'file_missing',
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
    ['a very long language', 400, 'field_invalid', speechForm(WAV, { language: 'e'.repeat(500) })],
    ['a language it lacks', 422, 'language_not_supported', speechForm(WAV, { language: 'sv-SE' })],
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
    expect(body).toMatchObject({ transcription: 'hello', language: 'en' });
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
