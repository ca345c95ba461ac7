import { TransformersMissing, type TransformersModule } from './load-whisper.ts';

/** A variable, so that neither compiler nor bundler looks for what is not in the default install. */
const PACKAGE_NAME: string = '@huggingface/transformers';

/**
 * Loads Transformers.js if somebody installed it; rejects with TransformersMissing if not. In a default
 * install a small package stands under its name, because the weights of the embedded engine come with
 * a dependency on it that is overridden: what has no `pipeline` is not it.
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
