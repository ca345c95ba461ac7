import { requireHash } from './package-files.ts';

/** Moonshine's vocabulary: Llama's 32,000 tokens, then numbered special ones. */
const TOKEN_COUNT = 32_768;
const LLAMA_TOKEN_COUNT = 32_000;

/** Of the finished file; sherpa-onnx ends the whole process when it cannot read a line of it. */
const TOKENS_SHA256 = 'faaf14321b7ab8d88d6d407ebf9e801a7768d0a50358ee7571a97d2ff834e03f';

/**
 * The tokens file sherpa-onnx wants for Moonshine: a line for each token, with base64 of its UTF-8
 * bytes, a space and its number. Throws when `vocabulary` (Llama's, in order) does not give the
 * very file we know.
 */
export function moonshineTokens(vocabulary: readonly string[]): Uint8Array {
  const lines = Array.from({ length: TOKEN_COUNT }, (_, id) => {
    const token = vocabulary[id] ?? `<<ST_${id - LLAMA_TOKEN_COUNT}>>`;
    return `${Buffer.from(token, 'utf8').toString('base64')} ${id}\n`;
  });
  const file = Buffer.from(lines.join(''), 'ascii');
  requireHash(file, TOKENS_SHA256, "Moonshine's tokens file");
  return file;
}
