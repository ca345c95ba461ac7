import { createHash } from 'node:crypto';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { OfflineResult } from 'sherpa-onnx-node';
import { SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import type { HeardWord } from '../../src/core/text/time-text.ts';
import type { Recognise, Recognised } from './engine-port.ts';
import type { TransducerSource } from './engine-process.ts';

/** A file as it must be, byte for byte. */
type KnownFile = {
  /** Where it lies, for a message: a path inside `node_modules`. */
  readonly packagePath: string;
  readonly sha256: string;
};

/** A model file is missing or not the one we know; anybody may read the message, which names it. */
export class ModelFileError extends Error {
  override readonly name: string = 'ModelFileError';
}

/**
 * The absolute path of a file in an installed package. Walks the folders Node would search, because
 * such packages do not export their weights, and this module may run bundled.
 */
async function locatePackageFile(packagePath: string): Promise<string> {
  const folders = createRequire(import.meta.url).resolve.paths(packagePath) ?? [];
  for (const folder of folders) {
    const candidate = join(folder, packagePath);
    if (await isThere(candidate)) return candidate;
  }
  throw new ModelFileError(`${packagePath} is missing; run npm ci`);
}

/**
 * Finds a file, beside the built server or in its package, and makes sure that it is the one we
 * know; else throws with both hashes.
 */
export async function locateKnownFile(file: KnownFile): Promise<string> {
  const beside = join(import.meta.dirname, 'models', basename(file.packagePath));
  const path = (await isThere(beside)) ? beside : await locatePackageFile(file.packagePath);
  requireHash(await readFile(path), file.sha256, file.packagePath);
  return path;
}

/** Throws unless `bytes` have the hash; `name` is for the message. */
function requireHash(bytes: Uint8Array, sha256: string, name: string): void {
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found === sha256) return;
  throw new ModelFileError(`${name} is not the file we know: sha256 ${found}, wanted ${sha256}`);
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Moonshine's vocabulary: Llama's 32,000 tokens, then numbered special ones. */
const TOKEN_COUNT = 32_768;
const LLAMA_TOKEN_COUNT = 32_000;

/**
 * The digest of the finished file: sherpa-onnx ends the whole process over a line that it cannot
 * read.
 */
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

const WEIGHTS = '@moonshine-ai/moonshine-js/dist/model/tiny/quantized';

/** Moonshine tiny (English, int8, MIT) as shipped in `@moonshine-ai/moonshine-js` 0.1.29. */
export const MOONSHINE_FILES = {
  encoder: {
    packagePath: `${WEIGHTS}/encoder_model.onnx`,
    sha256: 'c6fc4b7bc5af75c0591fd157a1f3829b533d18e9769a888fd95a62e470dd4f4a',
  },
  decoder: {
    packagePath: `${WEIGHTS}/decoder_model_merged.onnx`,
    sha256: 'eed87831c3a6103534aae7d47a5d485025c659a1323901513961c39fe8a1a367',
  },
} as const;

/** Loads Moonshine into sherpa-onnx; throws when a file is missing or not the one we know. */
export async function loadMoonshine(): Promise<Recognise> {
  const [{ default: sherpa }, { default: tokenizer }, encoder, mergedDecoder] = await Promise.all([
    import('sherpa-onnx-node'),
    import('llama-tokenizer-js'),
    locateKnownFile(MOONSHINE_FILES.encoder),
    locateKnownFile(MOONSHINE_FILES.decoder),
  ]);
  const tokensFile = moonshineTokens(tokenizer.vocabById);

  // A folder of our own that only this user can write to; sherpa reads the file once, at creation.
  const folder = await mkdtemp(join(tmpdir(), 'diktera-'));
  try {
    const tokens = join(folder, 'tokens.txt');
    await writeFile(tokens, tokensFile);
    const recogniser = await sherpa.OfflineRecognizer.createAsync({
      featConfig: { sampleRate: SAMPLE_RATE_HZ, featureDim: 80 },
      modelConfig: {
        moonshine: { encoder, mergedDecoder },
        tokens,
        // A second thread gains a fifth for one client, a second client at the same time twice.
        numThreads: 1,
        provider: 'cpu',
        debug: false,
      },
    });
    return async (samples) => {
      const stream = recogniser.createStream();
      stream.acceptWaveform({ samples, sampleRate: SAMPLE_RATE_HZ });
      // It tells no times, and its attention is none.
      const { text } = await recogniser.decodeAsync(stream);
      return { text };
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The settings of ONNX Runtime on processors whose short sums overflow (x86 without VNNI): slower, and
 * right. The arena is left out, as it would hold a second copy of the weights.
 */
const EXACT_SETTINGS = 'SessionConfig.session.x64quantprecision=1\nEnableCpuMemArena=0\n';

/**
 * Loads a transducer of NeMo's into sherpa-onnx. The library ends this process when a file is not
 * what it wants, so it is only ever called in a process of its own.
 */
export async function loadTransducer(source: TransducerSource): Promise<Recognise> {
  const { default: sherpa } = await import('sherpa-onnx-node');
  const { encoder, decoder, joiner, tokens, featureBins, threads } = source;
  // A folder of our own that only this user can write to; it is read once, at creation.
  const folder = await mkdtemp(join(tmpdir(), 'diktera-'));
  try {
    const recogniser = await sherpa.OfflineRecognizer.createAsync({
      featConfig: { sampleRate: SAMPLE_RATE_HZ, featureDim: featureBins },
      modelConfig: {
        transducer: { encoder, decoder, joiner },
        modelType: 'nemo_transducer',
        tokens,
        numThreads: threads,
        provider: source.precision === 'exact' ? `cpu:${await settingsIn(folder)}` : 'cpu',
        debug: false,
      },
    });
    return async (samples) => {
      const stream = recogniser.createStream();
      stream.acceptWaveform({ samples, sampleRate: SAMPLE_RATE_HZ });
      return recognisedOf(await recogniser.decodeAsync(stream));
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A result with its words, as far as the model tells them: their times, and how certain they are. */
export function recognisedOf(result: OfflineResult): Recognised {
  const { text, tokens, timestamps, durations, ys_log_probs: logProbs } = result;
  if (tokens.length === 0 || timestamps.length !== tokens.length) return { text };
  const words: { text: string; startMs: number; endMs: number; certainty?: number }[] = [];
  for (const [at, token] of tokens.entries()) {
    const startMs = Math.round(1_000 * (timestamps[at] ?? 0));
    const durationMs = Math.round(1_000 * (durations[at] ?? 0));
    // A token with nothing to write has no time either.
    const plain = token.replace(/^[ \u2581]+/, '');
    const word = words.at(-1);
    const isNew = word === undefined || (plain !== token && plain !== '');
    const certainty = logProbs.length === tokens.length ? Math.exp(logProbs[at] ?? 0) : undefined;
    if (isNew) {
      const known = certainty === undefined ? {} : { certainty };
      words.push({ text: plain, startMs, endMs: startMs + durationMs, ...known });
      continue;
    }
    word.text += plain;
    word.endMs = Math.max(word.endMs, startMs + durationMs);
    if (certainty !== undefined) word.certainty = Math.min(word.certainty ?? 1, certainty);
  }
  return { text, words: words.filter((word) => word.text !== '').map(rounded) };
}

/** To a thousandth: more is not known. */
function rounded({ certainty, ...word }: HeardWord): HeardWord {
  if (certainty === undefined || !Number.isFinite(certainty)) return word;
  return { ...word, certainty: Math.round(1_000 * Math.min(1, certainty)) / 1_000 };
}

async function settingsIn(folder: string): Promise<string> {
  const path = join(folder, 'settings.txt');
  await writeFile(path, EXACT_SETTINGS);
  return path;
}
