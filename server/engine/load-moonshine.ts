import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import { moonshineTokens } from './moonshine-tokens.ts';
import { locateKnownFile } from './package-files.ts';
import type { Recognise } from './recogniser.ts';

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
      return (await recogniser.decodeAsync(stream)).text;
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
