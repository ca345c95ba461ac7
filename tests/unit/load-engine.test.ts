import { expect, test } from 'vitest';
import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import type { WorkerAssets } from '../../src/core/contracts/asset-addresses.ts';
import { DikteraError } from '../../src/core/errors.ts';
import type { SpeechEngineKind } from '../../src/core/speech/speech-engine.ts';
import { loadSpeechEngine } from '../../workers/audio/choose-engine.ts';
import type { EngineFactory, EngineRequest } from '../../workers/audio/engine-factory.ts';
import type { HttpClient } from '../../workers/http/http-client.ts';
import { createFakeSpeechEngine, type FakeSpeechEngine } from '../helpers/fake-speech-engine.ts';

/** Files of another origin; nobody has said where onnxruntime-web is. */
const assets: WorkerAssets = {
  reader: 'https://cdn/reader.js',
  opus: 'https://cdn/opus.js',
  kernel: { plain: 'https://cdn/plain.wasm', fused: 'https://cdn/fused.wasm' },
  model: 'https://cdn/v6.onnx',
  ort: null,
};

const http: HttpClient = { get: () => expect.unreachable('the factories are fakes') };

/** A factory of fake engines that keeps what it was asked for and what it made. */
function fakeFactory(kind: SpeechEngineKind, fault?: 'create' | 'asset' | 'missing' | 'self-test') {
  const requests: EngineRequest[] = [];
  const made: FakeSpeechEngine[] = [];
  const factory: EngineFactory = {
    kind,
    selfTestTolerance: 1e-2,
    async create(request) {
      requests.push(request);
      if (fault === 'create') throw new TypeError('no SIMD');
      if (fault === 'asset') throw new DikteraError('asset-wrong', 'not the weights');
      if (fault === 'missing') throw new DikteraError('engine-missing', 'it is not there');
      const engine = createFakeSpeechEngine(kind, (right) =>
        fault === 'self-test' ? 1 - right : right,
      );
      made.push(engine);
      return engine;
    },
  };
  return { factory, requests, made };
}

function load(
  kind: SpeechEngineKind | 'auto',
  factories: { ort: EngineFactory; kernel?: EngineFactory },
) {
  const warnings: unknown[][] = [];
  const log = {
    error: () => expect.unreachable('nothing here is an error'),
    warn: (...line: unknown[]) => warnings.push(line),
    info: () => undefined,
  };
  const wish = { kind, assets } as const;
  return { warnings, loading: loadSpeechEngine(wish, { http, log, ...factories }) };
}

test.each(['auto', 'ort'] as const)('without a kernel, %s is onnxruntime', async (kind) => {
  const ort = fakeFactory('ort');
  const { loading } = load(kind, { ort: ort.factory });
  const engine = await loading;
  expect(engine).toMatchObject({ kind: 'ort' });
  expect(ort.requests).toEqual([{ assets, threads: 1, http }]);
  await engine.infer(new Float32Array(FRAME_SAMPLES));
  expect(ort.made[0]?.calls.slice(-2)).toEqual(['reset', 'infer']);
});

test('without a kernel, asking for it fails', async () => {
  const ort = fakeFactory('ort');
  await expect(load('kernel', { ort: ort.factory }).loading).rejects.toMatchObject({
    code: 'engine-failed',
    message: 'There is no kernel in this build',
  });
  expect(ort.requests).toEqual([]);
});

test.each(['auto', 'kernel'] as const)('with a kernel, %s is the kernel alone', async (kind) => {
  const [ort, kernel] = [fakeFactory('ort'), fakeFactory('kernel')];
  const { loading } = load(kind, { ort: ort.factory, kernel: kernel.factory });
  expect((await loading).kind).toBe('kernel');
  expect(ort.requests).toEqual([]);
});

test('with a kernel, onnxruntime can still be had', async () => {
  const [ort, kernel] = [fakeFactory('ort'), fakeFactory('kernel')];
  const { loading } = load('ort', { ort: ort.factory, kernel: kernel.factory });
  expect((await loading).kind).toBe('ort');
  expect(kernel.requests).toEqual([]);
});

test.each([
  ['auto', 'create'],
  ['auto', 'asset'],
  ['auto', 'self-test'],
  ['kernel', 'create'],
  ['kernel', 'self-test'],
] as const)('%s: a kernel with a %s fault gives way, and it is logged', async (kind, fault) => {
  const [ort, kernel] = [fakeFactory('ort'), fakeFactory('kernel', fault)];
  const { loading, warnings } = load(kind, { ort: ort.factory, kernel: kernel.factory });
  expect((await loading).kind).toBe('ort');
  expect(warnings).toEqual([
    ['The kernel cannot be used; onnxruntime takes its place', expect.any(DikteraError)],
  ]);
  for (const engine of kernel.made) expect(engine.calls.at(-1)).toBe('dispose');
});

test.each(['ort', 'kernel'] as const)('%s asks a twin of its own where it doubts', async (kind) => {
  const [ort, kernel] = [fakeFactory('ort'), fakeFactory('kernel')];
  const { loading } = load(kind, { ort: ort.factory, kernel: kernel.factory });
  const engine = await loading;
  // The fakes' first answer is 0.012.
  await engine.infer(new Float32Array(FRAME_SAMPLES).fill(0.1));
  const [made] = (kind === 'ort' ? ort : kernel).made;
  expect(made?.twins.map(({ calls }) => calls)).toEqual([['reset', 'infer']]);
  await engine.dispose();
  expect(made?.twins[0]?.calls.at(-1)).toBe('dispose');
});

test('an engine that fails its self-test is disposed of, and the failure told', async () => {
  const ort = fakeFactory('ort', 'self-test');
  const { loading } = load('ort', { ort: ort.factory });
  await expect(loading).rejects.toMatchObject({ code: 'engine-failed' });
  await expect(loading).rejects.toThrow('failed its self-test');
  expect(ort.made[0]?.calls.at(-1)).toBe('dispose');
});

test('an asset error keeps its code; any other failure is an engine failure with its cause', async () => {
  const asset = load('ort', { ort: fakeFactory('ort', 'asset').factory }).loading;
  await expect(asset).rejects.toMatchObject({ code: 'asset-wrong' });
  const other = load('ort', { ort: fakeFactory('ort', 'create').factory }).loading;
  await expect(other).rejects.toMatchObject({
    code: 'engine-failed',
    message: 'Silero (ort) could not be started',
    cause: expect.any(TypeError),
  });
});

test('onnxruntime that nobody has said the place of: an error that says what to install', async () => {
  const loading = loadSpeechEngine(
    { kind: 'ort', assets },
    {
      http: { get: async () => expect.unreachable('there is no address to ask') },
      log: { error: () => {}, warn: () => {}, info: () => {} },
    },
  );
  await expect(loading).rejects.toMatchObject({
    code: 'engine-missing',
    message: expect.stringContaining('npm install onnxruntime-web'),
  });
});

test('a kernel that fails where there is no onnxruntime: both are told, the kernel first', async () => {
  const { loading } = load('auto', {
    ort: fakeFactory('ort', 'missing').factory,
    kernel: fakeFactory('kernel', 'create').factory,
  });
  await expect(loading).rejects.toMatchObject({
    code: 'engine-failed',
    message: 'Silero (kernel) could not be started; it is not there',
    cause: { cause: expect.any(TypeError) },
  });
});
