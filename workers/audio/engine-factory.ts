import type { WorkerAssets } from '../../src/core/contracts/asset-addresses.ts';
import type { BareEngine, SpeechEngineKind } from '../../src/core/speech/speech-engine.ts';
import type { HttpClient } from '../http/http-client.ts';

/** The order for an engine. */
export type EngineRequest = {
  /** Where the files are. */
  readonly assets: Pick<WorkerAssets, 'kernel' | 'model' | 'ort'>;
  /** Threads wanted, 1 to 4; 1 is fastest for live single frames. */
  readonly threads: number;
  readonly http: HttpClient;
};

/** A way to run the model. Whoever asks runs the self-test before the engine is trusted. */
export type EngineFactory = {
  readonly kind: SpeechEngineKind;
  /** The largest difference from onnxruntime's probabilities on the test clip. */
  readonly selfTestTolerance: number;
  /** Fetches what it needs and makes an engine; throws `asset-*` or `engine-failed`. */
  create(request: EngineRequest): Promise<BareEngine>;
};
