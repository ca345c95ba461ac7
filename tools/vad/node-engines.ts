import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Logger } from '../../src/core/logger.ts';
import type { SpeechEngine, SpeechEngineKind } from '../../src/core/speech/speech-engine.ts';
import { chooseEngine, createSteady } from '../../workers/audio/choose-engine.ts';
import type { EngineFactory } from '../../workers/audio/engine-factory.ts';
import { createKernelEngine } from '../../workers/audio/kernel-engine.ts';
import { createOrtEngine } from '../../workers/audio/ort-engine.ts';
import { buildKernel } from '../build-kernel.ts';
import { readVerifiedModel } from '../model-assets.ts';

/** The kernel, built from its source where it has not been. */
const kernel: EngineFactory = {
  kind: 'kernel',
  selfTestTolerance: 1e-2,
  async create() {
    return createKernelEngine(await WebAssembly.compile(owned(await buildKernel())));
  },
};

/** Silero's own file on onnxruntime-web's WASM, straight from the packages. */
const ort: EngineFactory = {
  kind: 'ort',
  selfTestTolerance: 1e-3,
  async create({ threads }) {
    const runtime = await import('onnxruntime-web/wasm');
    const wasm = createRequire(import.meta.url).resolve(
      'onnxruntime-web/ort-wasm-simd-threaded.wasm',
    );
    runtime.env.wasm.wasmBinary = owned(readFileSync(wasm)).buffer;
    runtime.env.wasm.numThreads = threads;
    return createOrtEngine(runtime, owned(readVerifiedModel()).buffer);
  },
};

/**
 * Loads an engine in Node as the worker does in a browser: same maths, same self-test, and with
 * `auto` the same fallback. The kernel asked for by name is the kernel or an error.
 */
export function loadNodeEngine(
  kind: SpeechEngineKind | 'auto',
  log: Logger,
): Promise<SpeechEngine> {
  const http = { get: () => Promise.reject(new Error('Nothing is fetched here')) };
  const assets = {
    reader: '',
    opus: '',
    kernel: { plain: '', fused: '' },
    model: '',
    ort: null,
  };
  const request = { assets, threads: 1, http };
  if (kind === 'kernel') return createSteady(kernel, request);
  return chooseEngine(kind, request, { log, kernel, ort });
}

/** A copy in memory of its own: Node's buffers may be part of a larger one. */
function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(bytes);
}
