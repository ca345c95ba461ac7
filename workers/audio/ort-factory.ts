import { MODEL_FILE } from '../../src/core/speech/model-files.ts';
import { fetchVerified } from '../http/fetch-verified.ts';
import type { EngineFactory } from './engine-factory.ts';
import { createOrtEngine } from './ort-engine.ts';
import { loadOrtRuntime } from './ort-runtime.ts';

/** Silero's own file on onnxruntime-web: heavy to load, and runs wherever WASM does. */
export const ortFactory: EngineFactory = {
  kind: 'ort',
  selfTestTolerance: 1e-3,
  async create(request) {
    const { assets, http } = request;
    const [ort, modelFile] = await Promise.all([
      loadOrtRuntime(request),
      fetchVerified(http, { address: assets.model, ...MODEL_FILE }),
    ]);
    return createOrtEngine(ort, modelFile);
  },
};
