/** Which model and where it lies. */
export type WhisperSource = {
  readonly model: string;
  /** A folder with models, used without the network; null downloads on first use. */
  readonly localModelPath: string | null;
  /** Where downloads are kept. */
  readonly cacheDir: string;
};

/** A transducer's files, and how it is run. */
export type TransducerSource = {
  /** Absolute paths. */
  readonly encoder: string;
  readonly decoder: string;
  readonly joiner: string;
  readonly tokens: string;
  /** Bands of the features it hears by. */
  readonly featureBins: number;
  /** Cores for one utterance. */
  readonly threads: number;
  /** `exact` is for processors on which `plain` writes nothing or nonsense. */
  readonly precision: 'plain' | 'exact';
};

/** What an engine's process is to load; the program's argument, as JSON. */
export type EnginePlan =
  | { readonly kind: 'moonshine' }
  | { readonly kind: 'whisper'; readonly source: WhisperSource }
  | { readonly kind: 'transducer'; readonly source: TransducerSource };

/** One utterance for the engine's process; several may be under way. */
export type EngineRequest = {
  readonly id: number;
  readonly utterance: Float32Array;
  readonly language: string;
};

/** What it says: `ready` or `unloadable` once, then an answer to each request. */
export type EngineReply =
  /** How far a download is, 0 to 100; only before `ready`. */
  | { readonly kind: 'progress'; readonly percent: number }
  | { readonly kind: 'ready' }
  /** The model cannot be loaded; `reason` may be shown to anybody, `message` is for the log. */
  | { readonly kind: 'unloadable'; readonly reason: string; readonly message: string }
  | { readonly kind: 'heard'; readonly id: number; readonly text: string }
  | { readonly kind: 'failed'; readonly id: number };
