import { afterEach, expect, test } from 'vitest';
import { readConfig } from '../../../server/config/config.ts';
import { systemClock } from '../../../server/core/system.ts';
import type { TranscriptionEngine } from '../../../server/engine/engine-port.ts';
import { createEngineSet, createEngines } from '../../../server/engine/engine-set.ts';
import { createFakeEngine } from '../../helpers/fake-engine.ts';
import {
  postSpeech,
  type RunningServer,
  readJson,
  speechForm,
  startServer,
} from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

let server: RunningServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

const WAV = waveFile(16_000, tone(440, 16_000, 0.5));

function named(name: string, languages: readonly string[]) {
  const fake = createFakeEngine(name);
  const engine: TranscriptionEngine = {
    ...fake.engine,
    description: { engine: name, model: `${name}-1`, languages, defaultLanguage: null },
  };
  return { ...fake, engine };
}

test('each language goes to its engine, and the health answer names them', async () => {
  const [here, there] = [named('here', ['en']), named('there', ['sv', 'no'])];
  const engine = createEngineSet({
    byLanguage: new Map([['sv', there.engine]]),
    fallback: here.engine,
    defaultLanguage: 'sv',
  });
  const running = await startServer({ engine });
  server = running;
  const ask = (language: string) => postSpeech(running, speechForm(WAV, { language }));
  expect((await ask('sv-SE')).body).toMatchObject({ transcription: 'there', engine: 'there' });
  expect((await ask('en')).body).toMatchObject({ transcription: 'here', engine: 'here' });
  expect((await ask('')).body).toMatchObject({ transcription: 'there', language: 'sv' });
  const unknown = await ask('no');
  expect([unknown.status, unknown.body.error?.code]).toEqual([422, 'language_not_supported']);
  expect(unknown.body.error?.message).toContain('en, sv');

  there.set({ kind: 'failed', reason: 'gone' });
  expect((await ask('sv')).status).toBe(503);
  expect((await ask('en')).status).toBe(200);
  const { status, body } = await readJson(fetch(`${running.url}/api/health`));
  expect(status).toBe(200);
  expect(body.languages).toEqual(['en', 'sv']);
  expect(body.engines).toEqual([
    { engine: 'here', model: 'here-1', languages: ['en'], status: 'ready', reason: null },
    { engine: 'there', model: 'there-1', languages: ['sv'], status: 'failed', reason: 'gone' },
  ]);
});

test('the configuration makes each engine once, and the embedded one only when it is used', () => {
  let made = 0;
  const makers = {
    fetch: globalThis.fetch,
    clock: systemClock,
    random: Math.random,
    transformers: () => named('transformers', ['sv']).engine,
    embedded: () => {
      made++;
      return named('embedded', ['en']).engine;
    },
  };
  const engine = (env: Record<string, string>) => createEngines(readConfig(env, 1).engines, makers);
  const upstream = { OPENAI_BASE_URL: 'http://s/v1', OPENAI_LANGUAGES: 'sv,no' };
  expect(engine(upstream).description).toMatchObject({ engine: 'openai', languages: ['sv', 'no'] });
  expect(made).toBe(0);
  const routed = engine({ ...upstream, ASR_ENGINE: 'embedded', ASR_ROUTES: 'sv=openai,no=openai' });
  expect(made).toBe(1);
  expect(routed.description.languages).toEqual(['en', 'sv', 'no']);
  expect(routed.engineFor('sv')).toBe(routed.engineFor('no'));
  expect(routed.engines).toHaveLength(2);
  expect(engine({}).description.engine).toBe('embedded');
  expect(engine({ WHISPERCPP_URL: 'http://w' }).description.engine).toBe('whisper.cpp');
});
