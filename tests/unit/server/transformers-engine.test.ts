import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../server/core/system.ts';
import { EngineEnded, ModelUnloadable } from '../../../server/engine/engine-port.ts';
import { startEngineProcess, type WhisperSource } from '../../../server/engine/engine-process.ts';
import { createTransformersEngine } from '../../../server/engine/engine-set.ts';
import { loadWhisper, type TransformersModule } from '../../../server/engine/load-whisper.ts';
import { createFakeClock } from '../../helpers/fake-clock.ts';

const SOURCE: WhisperSource = {
  model: 'KBLab/kb-whisper-small',
  localModelPath: null,
  cacheDir: '/tmp/models',
};
const SETTINGS = { ...SOURCE, languages: ['sv'], defaultLanguage: 'sv' };

/** In the place of the package, which is no part of the default install. */
function fakeModule(pipeline: TransformersModule['pipeline']): TransformersModule {
  return { env: { cacheDir: '', localModelPath: '', allowRemoteModels: true }, pipeline };
}

function load(
  module: () => Promise<TransformersModule>,
  source: Partial<WhisperSource> = {},
  onProgress: (percent: number) => void = () => undefined,
) {
  return loadWhisper({ ...SOURCE, ...source }, { load: module, onProgress });
}

/** Why it cannot be loaded. */
async function reasonOf(loading: Promise<unknown>): Promise<string> {
  const error = await loading.catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(ModelUnloadable);
  return (error as ModelUnloadable).reason;
}

const never = new AbortController().signal;

test('loads with progress and writes what the model says', async () => {
  const asked: unknown[] = [];
  const percents: number[] = [];
  const module = fakeModule(async (_task, _model, { progress_callback }) => {
    for (const progress of [0, 4, 12, 19, 55, 100]) {
      progress_callback({ status: 'progress_total', progress });
    }
    return async (_samples, options) => {
      asked.push(options);
      return { text: ' Hej på dig. ' };
    };
  });
  const recognise = await load(
    async () => module,
    {},
    (at) => percents.push(at),
  );
  expect(percents).toEqual([10, 50, 100]);
  expect(await recognise(new Float32Array(16_000), 'sv')).toEqual({ text: 'Hej på dig.' });
  expect(asked).toEqual([{ task: 'transcribe', chunk_length_s: 30, language: 'sv' }]);
});

test('a folder of models is used without the network', async () => {
  const module = fakeModule(async () => async () => ({ text: '' }));
  await load(async () => module, { localModelPath: '/srv/models' });
  expect(module.env).toEqual({
    cacheDir: '/tmp/models',
    localModelPath: '/srv/models',
    allowRemoteModels: false,
  });
});

describe('says what to do', () => {
  test('when it is not installed (and it is not, here): told by its own process', async () => {
    const failures: Error[] = [];
    const engine = createTransformersEngine(SETTINGS, {
      launch: () => startEngineProcess({ kind: 'whisper', source: SOURCE }),
      clock: systemClock,
      onFailure: (error) => failures.push(error),
    });
    onTestFinished(() => engine.dispose?.());
    expect(engine.state().kind).toBe('loading');
    await engine.start();
    expect(engine.state()).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('npm i --no-save @huggingface/transformers'),
    });
    expect(failures).toHaveLength(1);
  }, 40_000);

  test.each([
    ['ENOTFOUND', /no network; set TRANSFORMERS_MODELS/],
    ['EOTHER', /no network; set TRANSFORMERS_MODELS/],
  ])('without a network (%s)', async (code, reason) => {
    const cause = Object.assign(new Error('getaddrinfo'), { code });
    const module = fakeModule(() => Promise.reject(new TypeError('fetch failed', { cause })));
    expect(await reasonOf(load(async () => module))).toMatch(reason);
  });

  test('when the folder does not have the model', async () => {
    const module = fakeModule(() => Promise.reject(new Error('file not found')));
    const reason = await reasonOf(load(async () => module, { localModelPath: '/srv/models' }));
    expect(reason).toContain('TRANSFORMERS_MODELS');
    expect(reason).not.toContain('/srv');
  });
});

test('a model that brings its process down costs the requests under way, and another is started', async () => {
  const clock = createFakeClock();
  const failures: string[] = [];
  const ends: (() => void)[] = [];
  const heard: string[] = [];
  const engine = createTransformersEngine(SETTINGS, {
    launch() {
      let tellEnd: (reason: EngineEnded) => void = () => undefined;
      const ended = new Promise<EngineEnded>((resolve) => {
        tellEnd = resolve;
      });
      const end = () => tellEnd(new EngineEnded('the engine ended: SIGABRT'));
      ends.push(end);
      const lost = ended.then((reason) => Promise.reject(reason));
      lost.catch(() => undefined);
      const isFirst = ends.length === 1;
      return {
        ready: Promise.resolve(),
        ended,
        end,
        recognise: (_samples, language) => {
          heard.push(language);
          return isFirst ? lost : Promise.resolve({ text: 'hej' });
        },
      };
    },
    clock,
    onFailure: ({ message }) => failures.push(message),
  });
  await engine.start();
  const samples = new Float32Array(16_000);
  const wish = { language: 'sv', fast: true };
  const lost = expect(engine.transcribe(samples, wish, never)).rejects.toMatchObject({
    status: 503,
    code: 'engine_failed',
    retryAfterS: 1,
  });
  // Longer than Moonshine may take: a large model is slow.
  await clock.advance(300_000);
  expect(failures).toEqual([]);
  ends[0]?.();
  await lost;
  await clock.advance(0);
  expect(await engine.transcribe(samples, wish, never)).toEqual({ text: 'hej', language: 'sv' });
  expect(heard).toEqual(['sv', 'sv']);
  expect(failures).toEqual(['the engine ended: SIGABRT']);
  await engine.dispose?.();
});
