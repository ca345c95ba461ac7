import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFakeEngine, type FakeEngine } from '../../helpers/fake-engine.ts';
import {
  fixture,
  postSpeech,
  type RunningServer,
  speechForm,
  startServer,
} from '../../helpers/running-server.ts';

type Operation = {
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: FormSchema }>> };
  readonly responses: Readonly<
    Record<string, { content?: { 'application/json'?: { schema: object } } }>
  >;
};
type FormSchema = { readonly properties: Readonly<Record<string, { default?: string }>> };
type Description = {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

let fake: FakeEngine;
let server: RunningServer;
let description: Description;
beforeAll(async () => {
  fake = createFakeEngine();
  server = await startServer({ engine: fake.engine, limits: { maxUploadBytes: 100_000 } });
  description = (await (await fetch(`${server.url}/openapi.json`)).json()) as Description;
});
afterAll(() => server.close());

/** The body's deviation from the description; null for none. */
function problem(path: string, method: string, status: number, body: unknown): string | null {
  const answer = description.paths[path]?.[method]?.responses[status];
  if (answer === undefined) return `${method} ${path} has no ${status}`;
  const schema = answer.content?.['application/json']?.schema;
  if (schema === undefined) return `${status} of ${path} has no schema`;
  const ajv = new Ajv2020({ strict: false });
  return ajv.validate(strict(schema), body) ? null : ajv.errorsText();
}

/** The same schema, but nothing that it does not name may be there. */
function strict(schema: object): object {
  const text = JSON.stringify(schema, (_, value: unknown) =>
    Object(value).type === 'object' ? { additionalProperties: false, ...Object(value) } : value,
  );
  return JSON.parse(text) as object;
}

test('describes the API and the probes, and nothing that is not there', () => {
  expect(description.openapi).toBe('3.1.0');
  expect(Object.keys(description.paths).sort()).toEqual([
    '/api/asr/vad',
    '/api/health',
    '/api/vocabulary',
    '/livez',
    '/readyz',
    '/v1/audio/transcriptions',
    '/v1/models',
    '/version',
  ]);
});

describe('answers are as described, to the last field', () => {
  test.each(['/api/health', '/livez', '/readyz', '/version', '/v1/models'])(
    'GET %s',
    async (path) => {
      const answer = await fetch(server.url + path);
      expect(problem(path, 'get', answer.status, await answer.json())).toBeNull();
    },
  );

  test('while the engine loads', async () => {
    fake.set({ kind: 'loading' });
    for (const path of ['/api/health', '/readyz']) {
      const answer = await fetch(server.url + path);
      expect(answer.status).toBe(503);
      expect(problem(path, 'get', 503, await answer.json())).toBeNull();
    }
    const { status, body } = await postSpeech(server, speechForm(fixture('speech-en.wav')));
    expect(problem('/api/asr/vad', 'post', status, body)).toBeNull();
    fake.set({ kind: 'ready' });
  });

  test.each<[number, FormData, Record<string, string>]>([
    [200, speechForm(fixture('speech-en.ogg')), {}],
    [400, speechForm(fixture('speech-en.ogg'), { fast: 'maybe' }), {}],
    [403, speechForm(fixture('speech-en.ogg')), { origin: 'https://evil.example' }],
    [413, speechForm(new Uint8Array(100_001)), {}],
    [415, speechForm(fixture('speech-en-aac.mp4')), {}],
    [422, speechForm(fixture('speech-en.ogg'), { language: 'sv' }), {}],
  ])('POST /api/asr/vad: %i', async (status, form, headers) => {
    const answer = await postSpeech(server, form, { headers });
    expect(answer.status).toBe(status);
    expect(problem('/api/asr/vad', 'post', status, answer.body)).toBeNull();
  });
});

test.each<[number, Record<string, string>]>([
  [200, { response_format: 'json' }],
  [200, { response_format: 'verbose_json' }],
  [400, { response_format: 'html' }],
])('POST /v1/audio/transcriptions: %i', async (status, fields) => {
  const form = new FormData();
  form.set('file', new File([new Uint8Array(fixture('speech-en.ogg'))], 'a.ogg'));
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const path = '/v1/audio/transcriptions';
  const answer = await fetch(server.url + path, { method: 'POST', body: form });
  expect(answer.status).toBe(status);
  expect(problem(path, 'post', status, await answer.json())).toBeNull();
});

test('the form is described with the fields and defaults the route has', async () => {
  const content = description.paths['/api/asr/vad']?.post?.requestBody?.content;
  const properties = content?.['multipart/form-data']?.schema.properties ?? {};
  expect(Object.keys(properties).sort()).toEqual([
    'audioFile',
    'fast',
    'fixSpelling',
    'language',
    'preview',
    'removePii',
    'times',
    'vocabulary',
  ]);
  const bare = new FormData();
  bare.set('audioFile', new File([new Uint8Array(fixture('speech-en.ogg'))], 'a.ogg'));
  const told = speechForm(
    fixture('speech-en.ogg'),
    Object.fromEntries(
      Object.entries(properties).flatMap(([name, { default: value }]) =>
        value === undefined ? [] : [[name, value]],
      ),
    ),
  );
  await postSpeech(server, bare);
  await postSpeech(server, told);
  const [first, second] = fake.calls.slice(-2);
  expect(fake.calls.length).toBeGreaterThan(1);
  expect([second?.fast, second?.language]).toEqual([first?.fast, first?.language]);
});

test('tokens are spoken of only where they are needed', async () => {
  expect(JSON.stringify(description)).not.toContain('securitySchemes');
  const locked = await startServer({
    engine: fake.engine,
    access: { apiTokens: ['a-token-of-16-chars'] },
  });
  const text = await (await fetch(`${locked.url}/openapi.json`)).text();
  expect(text).toMatch(/securitySchemes[\s\S]*bearer/);
  await locked.close();
});
