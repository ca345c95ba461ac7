import type { WorkerAssets } from '../../src/core/contracts/asset-addresses.ts';
import { DikteraError } from '../../src/core/errors.ts';
import type { Logger } from '../../src/core/logger.ts';
import type {
  BareEngine,
  SpeechEngine,
  SpeechEngineKind,
} from '../../src/core/speech/speech-engine.ts';
import { createSteadyEngine } from '../../src/core/speech/steady-engine.ts';
import type { HttpClient } from '../http/http-client.ts';
import type { EngineFactory, EngineRequest } from './engine-factory.ts';
import { ortFactory } from './ort-engine.ts';
import { selfTest } from './self-test.ts';

export type EngineWish = {
  /** `auto` takes the kernel if there is one, else onnxruntime. */
  readonly kind: SpeechEngineKind | 'auto';
  /** Where the files are. */
  readonly assets: WorkerAssets;
  /** Threads for onnxruntime, 1 to 4; the worker's first engine decides. @default 1 */
  readonly threads?: number;
};

type EngineLoaderPorts = {
  readonly http: HttpClient;
  readonly log: Logger;
  /** The hand-written kernel, where there is one. */
  readonly kernel?: EngineFactory;
  /** @default onnxruntime-web */
  readonly ort?: EngineFactory;
};

/**
 * Loads a speech engine: fetched, checked to the byte, self-tested, warm and steady. A kernel that
 * fails is logged, and onnxruntime takes its place.
 *
 * Throws a DikteraError: `asset-unreachable`, `asset-wrong` or `engine-failed`.
 */
export async function loadSpeechEngine(
  { kind, assets, threads = 1 }: EngineWish,
  { http, log, kernel, ort = ortFactory }: EngineLoaderPorts,
): Promise<SpeechEngine> {
  const request = { assets, threads, http };
  if (kind === 'ort' || (kind === 'auto' && kernel === undefined)) {
    return createSteady(ort, request);
  }
  if (kernel === undefined) {
    throw new DikteraError('engine-failed', 'There is no kernel in this build');
  }
  try {
    return await createSteady(kernel, request);
  } catch (error) {
    log.warn('The kernel cannot be used; onnxruntime takes its place', error);
    return createInstead(ort, request, error);
  }
}

/** Where there is no onnxruntime either, the error tells why the kernel failed, too. */
async function createInstead(
  ort: EngineFactory,
  request: EngineRequest,
  failure: unknown,
): Promise<SpeechEngine> {
  try {
    return await createSteady(ort, request);
  } catch (error) {
    const isMissing = error instanceof DikteraError && error.code === 'engine-missing';
    if (!isMissing || !(failure instanceof DikteraError)) throw error;
    throw new DikteraError(failure.code, `${failure.message}; ${error.message}`, {
      cause: failure,
    });
  }
}

/**
 * One engine, self-tested, that hears speech after a pause as well as before it. Throws as
 * `loadSpeechEngine`.
 */
export async function createSteady(
  factory: EngineFactory,
  request: EngineRequest,
): Promise<SpeechEngine> {
  return createSteadyEngine(await createTested(factory, request));
}

/** One bare engine, self-tested; thrown away when it fails. Throws as `loadSpeechEngine`. */
export async function createTested(
  factory: EngineFactory,
  request: EngineRequest,
): Promise<BareEngine> {
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
    const message = `Silero (${factory.kind}) could not be started`;
    throw new DikteraError('engine-failed', message, { cause: error });
  }
}
