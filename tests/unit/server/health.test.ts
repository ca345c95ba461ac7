import { afterEach, expect, test } from 'vitest';
import type { TextRules } from '../../../server/text/text-rules.ts';
import { createFakeEngine } from '../../helpers/fake-engine.ts';
import {
  postSpeech,
  type RunningServer,
  readJson,
  speechForm,
  startServer,
} from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

const WAV = waveFile(16_000, tone(440, 16_000, 0.5));
let server: RunningServer;
afterEach(() => server.close());

const health = () => readJson(fetch(`${server.url}/api/health`));

test('while the engine loads, health and transcription say so and when to come back', async () => {
  const fake = createFakeEngine();
  fake.set({ kind: 'loading' });
  server = await startServer({ engine: fake.engine });

  const loading = await health();
  expect(loading.status).toBe(503);
  expect(loading.headers.get('retry-after')).toBe('1');
  expect(loading.body).toMatchObject({
    status: 'loading',
    reason: 'the speech engine is loading',
    languages: ['en'],
  });
  const early = await postSpeech(server, speechForm(WAV));
  expect(early.status).toBe(503);
  expect(early.headers.get('retry-after')).toBe('1');
  expect(early.body.error?.code).toBe('engine_loading');
  // What can never work is said at once.
  expect((await postSpeech(server, speechForm(WAV, { language: 'sv' }))).status).toBe(422);

  fake.set({ kind: 'ready' });
  expect((await health()).status).toBe(200);
  expect((await postSpeech(server, speechForm(WAV))).status).toBe(200);
});

test('an engine that failed says why', async () => {
  const fake = createFakeEngine();
  fake.set({ kind: 'failed', reason: 'the weights are wrong' });
  server = await startServer({ engine: fake.engine });
  const failed = await health();
  expect(failed.status).toBe(503);
  expect(failed.body).toMatchObject({ status: 'failed', reason: 'the weights are wrong' });
  const refused = await postSpeech(server, speechForm(WAV));
  expect(refused.status).toBe(503);
  expect(refused.body.error).toMatchObject({ code: 'engine_failed' });
  expect(refused.body.error?.message).toContain('the weights are wrong');
});

test('lists what it takes and does, and that the text rules do nothing yet', async () => {
  server = await startServer({ engine: createFakeEngine().engine, limits: { concurrency: 3 } });
  expect((await health()).body).toEqual({
    status: 'ready',
    reason: null,
    engine: 'fake',
    model: 'fake-1',
    languages: ['en'],
    defaultLanguage: 'en',
    engines: [
      { engine: 'fake', model: 'fake-1', languages: ['en'], status: 'ready', reason: null },
    ],
    audioTypes: [
      'audio/webm;codecs=opus',
      'audio/mp4;codecs=opus',
      'audio/ogg;codecs=opus',
      'audio/wav',
    ],
    freePieces: false,
    idempotencyKeys: true,
    textRules: { removePii: 'inactive', fixSpelling: 'inactive' },
    queue: { running: 0, waiting: 0, concurrency: 3, maxWaiting: 64 },
  });
});

test('hands the text and the wishes to the text rules', async () => {
  const shouting: TextRules = {
    states: { removePii: 'active', fixSpelling: 'inactive' },
    apply: async (text, { removePii, fixSpelling, language }) => ({
      text: `${text.toUpperCase()} ${removePii} ${fixSpelling} ${language}`,
      outcomes: { removePii: 'applied', fixSpelling: 'off' },
    }),
  };
  server = await startServer({ engine: createFakeEngine().engine, textRules: shouting });
  const { body } = await postSpeech(
    server,
    speechForm(WAV, { removePii: 'true', fixSpelling: 'false' }),
  );
  expect(body.transcription).toBe('HELLO true false en');
  expect(body.textRules).toEqual({ removePii: 'applied', fixSpelling: 'off' });
  expect((await health()).body.textRules).toEqual(shouting.states);
});
