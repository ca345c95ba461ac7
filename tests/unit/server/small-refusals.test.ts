import { gzipSync } from 'node:zlib';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFakeEngine, type FakeEngine } from '../../helpers/fake-engine.ts';
import { type RunningServer, startServer } from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

const WAV = waveFile(16_000, tone(440, 16_000, 0.5));
const PAGE = 'https://app.example.com';

let fake: FakeEngine;
let server: RunningServer;
beforeAll(async () => {
  fake = createFakeEngine('words');
  const access = { allowedOrigins: [PAGE] };
  const engine = { ...fake.engine, description: { ...fake.engine.description, model: 'a/model' } };
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
    ['response_format', 'srt'],
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
  ])('with the head %j is taken, on both addresses', async (head) => {
    expect((await post('/api/asr/vad', part(head, 'audioFile'), headers)).status).toBe(200);
    expect((await post('/v1/audio/transcriptions', part(head, 'file'), headers)).status).toBe(200);
  });

  test('without a name or a type is a text', async () => {
    const answer = await post('/api/asr/vad', part('', 'audioFile'), headers);
    expect([answer.status, await codeOf(answer)]).toEqual([400, 'file_missing']);
  });

  test.each(['gzip', 'br', 'deflate, gzip'])('packed with %s is 415', async (encoding) => {
    const packed = gzipSync(part('\r\nContent-Type: audio/wav', 'audioFile'));
    const answer = await post('/api/asr/vad', packed, { ...headers, 'content-encoding': encoding });
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
    for (const path of ['/v1/audio/transcriptions', '/v1/models', '/v1/models/x', '/api/asr/vad']) {
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
