import { ModelUnloadable, type Recognise } from './engine-port.ts';
import type { WhisperSource } from './engine-process.ts';

/** A variable: compiler and bundler must not look for what is not in the default install. */
const PACKAGE_NAME: string = '@huggingface/transformers';

/**
 * Loads Transformers.js, or rejects with TransformersMissing when nobody installed it. In a default
 * install a small package stands under its name, in place of a dependency of the embedded engine's
 * weights: what has no `pipeline` is not it.
 */
export async function loadTransformers(): Promise<TransformersModule> {
  const module: unknown = await import(PACKAGE_NAME).catch((cause: unknown) => {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND') {
      throw new TransformersMissing('Transformers.js is not installed', { cause });
    }
    throw cause;
  });
  if (!isTransformers(module)) throw new TransformersMissing('Transformers.js is not installed');
  return module;
}

function isTransformers(module: unknown): module is TransformersModule {
  return typeof module === 'object' && module !== null && 'pipeline' in module && 'env' in module;
}

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
  ): Promise<WhisperPipeline>;
};

/** The package is not there. */
class TransformersMissing extends Error {
  override readonly name: string = 'TransformersMissing';
}

/** Turns 16 kHz mono samples into text. */
type WhisperPipeline = (
  samples: Float32Array,
  options: {
    readonly task: 'transcribe';
    readonly language: string;
    readonly chunk_length_s: number;
  },
) => Promise<unknown>;

/** The parts that loading works with. */
type WhisperPorts = {
  /** Loads the package; rejects with TransformersMissing when it is not installed. */
  readonly load: () => Promise<TransformersModule>;
  /** Called with the progress of the download, 0 to 100, for the log. */
  readonly onProgress: (percent: number) => void;
};

/** Whisper takes 30 s at once. */
const CHUNK_S = 30;

/** Loads a Whisper model, such as KBLab's for Swedish; throws ModelUnloadable. */
export async function loadWhisper(
  source: WhisperSource,
  { load, onProgress }: WhisperPorts,
): Promise<Recognise> {
  const pipe = await makePipeline(source, load, onProgress).catch((error: unknown) => {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    throw new ModelUnloadable(reasonOf(error, source), message);
  });
  return async (samples, language) => ({
    text: textOf(await pipe(samples, { task: 'transcribe', chunk_length_s: CHUNK_S, language })),
  });
}

async function makePipeline(
  source: WhisperSource,
  load: WhisperPorts['load'],
  onProgress: WhisperPorts['onProgress'],
): Promise<WhisperPipeline> {
  const { env, pipeline } = await load();
  env.cacheDir = source.cacheDir;
  if (source.localModelPath !== null) {
    env.localModelPath = source.localModelPath;
    env.allowRemoteModels = false;
  }
  return pipeline('automatic-speech-recognition', source.model, {
    dtype: 'q8',
    progress_callback: reportTens(onProgress),
  });
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

function reasonOf(error: unknown, { model, localModelPath }: WhisperSource): string {
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
