import type { EngineState, TranscriptionEngine } from './engine-port.ts';

/** The part of Transformers.js that is used; the package itself is an optional install. */
export type TransformersModule = {
  readonly env: {
    cacheDir: string;
    localModelPath: string;
    allowRemoteModels: boolean;
  };
  pipeline(
    task: 'automatic-speech-recognition',
    model: string,
    options: {
      readonly dtype: string;
      readonly progress_callback: (progress: Readonly<Record<string, unknown>>) => void;
    },
  ): Promise<TransformersRecogniser>;
};

/** The package is not there. */
export class TransformersMissing extends Error {
  override readonly name: string = 'TransformersMissing';
}

/** Turns 16 kHz mono samples into text. */
export type TransformersRecogniser = (
  samples: Float32Array,
  options: {
    readonly task: 'transcribe';
    readonly language: string;
    readonly chunk_length_s: number;
  },
) => Promise<unknown>;

/** Which model and where it lies. */
export type TransformersSettings = {
  readonly model: string;
  /** A folder with models, used without the network; null downloads on first use. */
  readonly localModelPath: string | null;
  /** Where downloads are kept. */
  readonly cacheDir: string;
  /** Never empty. */
  readonly languages: readonly string[];
  /** What an empty `language` means: Transformers.js finds out nothing and would write English. */
  readonly defaultLanguage: string;
};

/** What the engine is made of. */
export type TransformersPorts = {
  /** Loads the package; rejects with TransformersMissing when it is not installed. */
  readonly load: () => Promise<TransformersModule>;
  /** Told how far the download is, 0 to 100, for the log. */
  readonly onProgress: (percent: number) => void;
  /** Told why it failed, for the log. */
  readonly onFailure: (error: unknown) => void;
};

/** Whisper takes 30 s at once. */
const CHUNK_S = 30;

/**
 * Whisper, such as KBLab's for Swedish, inside this process by way of Transformers.js, which
 * decodes greedily and nothing else, so `fast` changes nothing. Works on one recording at a time:
 * `CONCURRENCY` 1 suits it.
 */
export function createTransformersEngine(
  settings: TransformersSettings,
  ports: TransformersPorts,
): TranscriptionEngine {
  const { model, languages, defaultLanguage } = settings;
  let recognise: TransformersRecogniser | null = null;
  let state: EngineState = { status: 'loading' };
  let started: Promise<void> | null = null;

  async function load(): Promise<void> {
    try {
      const { env, pipeline } = await ports.load();
      env.cacheDir = settings.cacheDir;
      if (settings.localModelPath !== null) {
        env.localModelPath = settings.localModelPath;
        env.allowRemoteModels = false;
      }
      recognise = await pipeline('automatic-speech-recognition', model, {
        dtype: 'q8',
        progress_callback: reportTens(ports.onProgress),
      });
      state = { status: 'ready' };
    } catch (error) {
      state = { status: 'failed', reason: reasonOf(error, settings) };
      ports.onFailure(error);
    }
  }

  return {
    description: { engine: 'transformers', model, languages, defaultLanguage },
    state: () => state,
    start() {
      started ??= load();
      return started;
    },
    async transcribe(samples, wish, signal) {
      if (recognise === null) throw new Error('the engine is not loaded');
      signal.throwIfAborted();
      const result = await recognise(samples, {
        task: 'transcribe',
        chunk_length_s: CHUNK_S,
        language: wish.language,
      });
      return { text: textOf(result), language: wish.language };
    },
  };
}

/** Calls on for every ten percent only. */
function reportTens(onProgress: (percent: number) => void) {
  let reported = 0;
  return (progress: Readonly<Record<string, unknown>>) => {
    const { status, progress: percent } = progress;
    if (status !== 'progress_total' || typeof percent !== 'number') return;
    if (percent < reported + 10) return;
    reported = Math.floor(percent / 10) * 10;
    onProgress(reported);
  };
}

function reasonOf(error: unknown, { model, localModelPath }: TransformersSettings): string {
  if (error instanceof TransformersMissing) {
    return 'Transformers.js is not installed; run npm i --no-save @huggingface/transformers';
  }
  const code = codeOf(error) ?? codeOf(error instanceof Error ? error.cause : null);
  const isNetwork = error instanceof TypeError && error.message === 'fetch failed';
  if (isNetwork || code === 'ENOTFOUND' || code === 'ECONNREFUSED') {
    return `the model ${model} cannot be downloaded: no network; set TRANSFORMERS_MODELS to a folder that has it`;
  }
  return localModelPath === null
    ? `the model ${model} could not be loaded`
    : `the model ${model} could not be loaded from TRANSFORMERS_MODELS`;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}

function textOf(result: unknown): string {
  if (typeof result !== 'object' || result === null || !('text' in result)) {
    throw new Error('the model answered no text');
  }
  return String(result.text).trim();
}
