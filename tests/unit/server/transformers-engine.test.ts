import { describe, expect, test } from 'vitest';
import { loadTransformers } from '../../../server/engine/load-transformers.ts';
import {
  createTransformersEngine,
  type TransformersModule,
} from '../../../server/engine/transformers-engine.ts';

const SETTINGS = {
  model: 'KBLab/kb-whisper-small',
  localModelPath: null,
  cacheDir: '/tmp/models',
  languages: ['sv'],
  defaultLanguage: 'sv',
};

/** In the place of the package, which is no part of the default install. */
function fakeModule(pipeline: TransformersModule['pipeline']): TransformersModule {
  return { env: { cacheDir: '', localModelPath: '', allowRemoteModels: true }, pipeline };
}

function make(
  load: () => Promise<TransformersModule>,
  settings: Partial<Parameters<typeof createTransformersEngine>[0]> = {},
) {
  const percents: number[] = [];
  const failures: unknown[] = [];
  const engine = createTransformersEngine(
    { ...SETTINGS, ...settings },
    { load, onProgress: (at) => percents.push(at), onFailure: (error) => failures.push(error) },
  );
  return { engine, percents, failures };
}

const never = new AbortController().signal;

test('loads with progress and writes what the model says', async () => {
  const asked: unknown[] = [];
  const module = fakeModule(async (_task, _model, { progress_callback }) => {
    for (const progress of [0, 4, 12, 19, 55, 100]) {
      progress_callback({ status: 'progress_total', progress });
    }
    return async (_samples, options) => {
      asked.push(options);
      return { text: ' Hej på dig. ' };
    };
  });
  const { engine, percents } = make(async () => module);
  expect(engine.state().status).toBe('loading');
  await engine.start();
  expect(engine.state().status).toBe('ready');
  expect(percents).toEqual([10, 50, 100]);
  const samples = new Float32Array(16_000);
  const wish = { language: 'sv', fast: true };
  expect(await engine.transcribe(samples, wish, never)).toEqual({
    text: 'Hej på dig.',
    language: 'sv',
  });
  expect(asked).toEqual([{ task: 'transcribe', chunk_length_s: 30, language: 'sv' }]);
});

test('a folder of models is used without the network', async () => {
  const module = fakeModule(async () => async () => ({ text: '' }));
  const { engine } = make(async () => module, { localModelPath: '/srv/models' });
  await engine.start();
  expect(module.env).toEqual({
    cacheDir: '/tmp/models',
    localModelPath: '/srv/models',
    allowRemoteModels: false,
  });
});

describe('says what to do', () => {
  test('when it is not installed (and it is not, here)', async () => {
    const { engine, failures } = make(loadTransformers);
    await engine.start();
    expect(engine.state()).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('npm i --no-save @huggingface/transformers'),
    });
    expect(failures).toHaveLength(1);
  });

  test.each([
    ['ENOTFOUND', /no network; set TRANSFORMERS_MODELS/],
    ['EOTHER', /no network; set TRANSFORMERS_MODELS/],
  ])('without a network (%s)', async (code, reason) => {
    const cause = Object.assign(new Error('getaddrinfo'), { code });
    const module = fakeModule(() => Promise.reject(new TypeError('fetch failed', { cause })));
    const { engine } = make(async () => module);
    await engine.start();
    expect(engine.state()).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(reason),
    });
  });

  test('when the folder does not have the model', async () => {
    const module = fakeModule(() => Promise.reject(new Error('file not found')));
    const { engine } = make(async () => module, { localModelPath: '/srv/models' });
    await engine.start();
    expect(engine.state()).toMatchObject({
      reason: expect.stringContaining('TRANSFORMERS_MODELS'),
    });
  });
});
