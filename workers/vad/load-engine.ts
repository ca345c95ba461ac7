import { DikteraError } from '../../src/core/errors.ts';
import type { Logger } from '../../src/core/logger.ts';
import type { SpeechEngine, SpeechEngineKind, SpeechModel } from '../../src/core/speech-engine.ts';
import type { HttpClient } from '../http/http-client.ts';
import type { EngineFactory, EngineRequest } from './engine-factory.ts';
import { ortFactory } from './ort-factory.ts';
import { selfTest } from './self-test.ts';

export type EngineWish = {
  readonly model: SpeechModel;
  /** `auto` takes the kernel if there is one, else onnxruntime. */
  readonly kind: SpeechEngineKind | 'auto';
  /** Absolute address of the folder that holds `models/`. */
  readonly assetBaseUrl: string;
  /** Threads for onnxruntime, 1 to 4; the worker's first engine decides. @default 1 */
  readonly threads?: number;
};

export type EngineLoaderPorts = {
  readonly http: HttpClient;
  readonly log: Logger;
  /** The hand-written kernel, where there is one. */
  readonly kernel?: EngineFactory;
  /** @default onnxruntime-web */
  readonly ort?: EngineFactory;
};

/**
 * Loads a judge of speech: fetched, checked to the byte, warm and self-tested. A kernel that fails is
 * logged and onnxruntime takes its place.
 *
 * Throws a DikteraError: `asset-unreachable`, `asset-wrong` or `engine-failed`.
 */
export async function loadSpeechEngine(
  wish: EngineWish,
  ports: EngineLoaderPorts,
): Promise<SpeechEngine> {
  const { model, kind, assetBaseUrl, threads = 1 } = wish;
  const { http, log, kernel, ort = ortFactory } = ports;
  const request = { model, assetBaseUrl, threads, http };

  if (kind === 'kernel' && kernel === undefined) {
    throw new DikteraError('engine-failed', 'There is no kernel in this build');
  }
  if (kind !== 'ort' && kernel !== undefined) {
    try {
      return await createTested(kernel, request);
    } catch (error) {
      log.warn('The kernel cannot be used; onnxruntime takes its place', error);
    }
  }
  return createTested(ort, request);
}

async function createTested(factory: EngineFactory, request: EngineRequest): Promise<SpeechEngine> {
  try {
    const engine = await factory.create(request);
    try {
      await selfTest(engine, factory.selfTestTolerance);
    } catch (error) {
      await engine.dispose();
      throw error;
    }
    return engine;
  } catch (error) {
    if (error instanceof DikteraError) throw error;
    const message = `Silero ${request.model} (${factory.kind}) could not be started`;
    throw new DikteraError('engine-failed', message, { cause: error });
  }
}
