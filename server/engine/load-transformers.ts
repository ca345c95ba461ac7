import { TransformersMissing, type TransformersModule } from './load-whisper.ts';

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
