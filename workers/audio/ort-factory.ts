import { MODEL_FILES } from '../../src/core/speech/model-files.ts';
import { fetchVerified } from '../http/fetch-verified.ts';
import type { EngineFactory } from './engine-factory.ts';
import { loadOrtRuntime } from './ort-runtime.ts';
import { createSileroV4Ort } from './silero-v4-ort.ts';
import { createSileroV6Ort } from './silero-v6-ort.ts';

const CREATE = { v6: createSileroV6Ort, v4: createSileroV4Ort };

/** Silero's own files on onnxruntime-web: heavy to load, and runs wherever WASM does. */
export const ortFactory: EngineFactory = {
  kind: 'ort',
  selfTestTolerance: 1e-3,
  async create(request) {
    const { model, assets, http } = request;
    const { bytes, sha256 } = MODEL_FILES[model];
    const [ort, modelFile] = await Promise.all([
      loadOrtRuntime(request),
      fetchVerified(http, { address: assets.models[model], bytes, sha256 }),
    ]);
    return CREATE[model](ort, modelFile);
  },
};
