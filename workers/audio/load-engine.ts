import type { WorkerAssets } from '../../src/core/contracts/asset-addresses.ts';
import type { Logger } from '../../src/core/logger.ts';
import type { SpeechEngine, SpeechEngineKind } from '../../src/core/speech/speech-engine.ts';
import type { HttpClient } from '../http/http-client.ts';
import { chooseEngine } from './choose-engine.ts';
import type { EngineFactory } from './engine-factory.ts';
import { ortFactory } from './ort-factory.ts';

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
