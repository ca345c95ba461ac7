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

export type EngineLoaderPorts = {
  readonly http: HttpClient;
  readonly log: Logger;
  /** The hand-written kernel, where there is one. */
  readonly kernel?: EngineFactory;
  /** @default onnxruntime-web */
  readonly ort?: EngineFactory;
};

/**
 * Loads a speech engine: fetched, checked to the byte, warm and self-tested. A kernel that fails is
 * logged and onnxruntime takes its place.
 *
 * Throws a DikteraError: `asset-unreachable`, `asset-wrong` or `engine-failed`.
 */
export async function loadSpeechEngine(
  wish: EngineWish,
  ports: EngineLoaderPorts,
): Promise<SpeechEngine> {
  const { kind, threads = 1, ...where } = wish;
  const { http, ort = ortFactory, ...others } = ports;
  return chooseEngine(kind, { ...where, threads, http }, { ...others, ort });
}

/** The ways there are to run the model. */
export type EngineChoicePorts = {
  readonly log: Logger;
  /** The hand-written kernel, where there is one. */
  readonly kernel?: EngineFactory;
  readonly ort: EngineFactory;
};

/**
 * Makes the engine of the wanted kind, tests it and makes it steady. A kernel that fails is logged
 * and onnxruntime takes its place.
 *
 * Throws a DikteraError: `asset-unreachable`, `asset-wrong` or `engine-failed`.
 */
export async function chooseEngine(
  kind: SpeechEngineKind | 'auto',
  request: EngineRequest,
  { log, kernel, ort }: EngineChoicePorts,
): Promise<SpeechEngine> {
  if (kind === 'kernel' && kernel === undefined) {
    throw new DikteraError('engine-failed', 'There is no kernel in this build');
  }
  if (kind !== 'ort' && kernel !== undefined) {
    try {
      return await createSteady(kernel, request);
    } catch (error) {
      log.warn('The kernel cannot be used; onnxruntime takes its place', error);
      return createInstead(ort, request, error);
    }
  }
  return createSteady(ort, request);
}

/** Where there is no other engine, what must be told is why the kernel failed. */
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
 * `chooseEngine`.
 */
export async function createSteady(
  factory: EngineFactory,
  request: EngineRequest,
): Promise<SpeechEngine> {
  return createSteadyEngine(await createTested(factory, request));
}

/** One bare engine, self-tested; thrown away when it fails. Throws as `chooseEngine`. */
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
