import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Logger } from '../../src/core/logger.ts';
import { MODEL_FILES } from '../../src/core/speech/model-files.ts';
import type {
  SpeechEngine,
  SpeechEngineKind,
  SpeechModel,
} from '../../src/core/speech/speech-engine.ts';
import { chooseEngine, createSteady } from '../../workers/audio/choose-engine.ts';
import type { EngineFactory } from '../../workers/audio/engine-factory.ts';
import { createKernelEngine } from '../../workers/audio/kernel-engine.ts';
import { createSileroV4Ort } from '../../workers/audio/silero-v4-ort.ts';
import { createSileroV6Ort } from '../../workers/audio/silero-v6-ort.ts';
import { buildKernel } from '../build-kernel.ts';
import { readVerifiedModel } from '../model-assets.ts';

/** The kernel, built from its source where it has not been. */
const kernel: EngineFactory = {
  kind: 'kernel',
  selfTestTolerance: 1e-2,
  async create({ model }) {
    const module = await WebAssembly.compile(owned(await buildKernel({ model })));
    return createKernelEngine({ model, module });
  },
};

/** Silero's own files on onnxruntime-web's WASM, straight from the packages. */
const ort: EngineFactory = {
  kind: 'ort',
  selfTestTolerance: 1e-3,
  async create({ model, threads }) {
    const runtime = await import('onnxruntime-web/wasm');
    const wasm = createRequire(import.meta.url).resolve(
      'onnxruntime-web/ort-wasm-simd-threaded.wasm',
    );
    runtime.env.wasm.wasmBinary = owned(readFileSync(wasm)).buffer;
    runtime.env.wasm.numThreads = threads;
    const file = owned(readVerifiedModel(MODEL_FILES[model])).buffer;
    const create = { v6: createSileroV6Ort, v4: createSileroV4Ort }[model];
    return create(runtime, file);
  },
};

/**
 * Loads an engine in Node as the worker does in a browser: same maths, same self-test, and with
 * `auto` the same fallback. The kernel asked for by name is the kernel or an error.
 */
export function loadNodeEngine(
  kind: SpeechEngineKind | 'auto',
  model: SpeechModel,
  log: Logger,
): Promise<SpeechEngine> {
  const http = { send: () => Promise.reject(new Error('Nothing is fetched here')) };
  const none = { plain: '', fused: '' };
  const assets = {
    reader: '',
    opus: '',
    kernels: { v6: none, v4: none },
    models: { v6: '', v4: '' },
    ort: null,
  };
  const request = { model, assets, threads: 1, http };
  if (kind === 'kernel') return createSteady(kernel, request);
  return chooseEngine(kind, request, { log, kernel, ort });
}

/** A copy in memory of its own: Node's buffers may be part of a larger one. */
function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(bytes);
}
