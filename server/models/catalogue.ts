import type {
  EncoderFacts,
  FetchedModel,
  KnownModel,
  PackagedModel,
} from './layout/model-folder.ts';

const GB = 1_000_000_000;

const CC_BY = 'https://creativecommons.org/licenses/by/4.0/';

/** The facts of Parakeet TDT 0.6b v3, and of models trained from it. */
const PARAKEET_FACTS: EncoderFacts = {
  vocabulary: 8_192,
  subsampling: 8,
  decoderLayers: 2,
  decoderSize: 640,
  featureBins: 128,
  durations: 5,
};

/** Both models have the same one. */
const PARAKEET_TOKENS = {
  bytes: 93_939,
  sha256: 'd58544679ea4bc6ac563d1f545eb7d474bd6cfa467f0a6e2c1dc1c7d37e3c35d',
} as const;

/** English, as it comes with the server. */
const MOONSHINE: PackagedModel = {
  kind: 'packaged',
  id: 'moonshine-tiny-int8',
  name: 'Moonshine tiny',
  package: '@moonshine-ai/moonshine-js 0.1.29',
  licence: 'MIT',
  attribution: 'Useful Sensors (Moonshine AI)',
  languages: ['en'],
  memoryBytes: 0.2 * GB,
};

/** Swedish: 6.6 % word errors on FLEURS and 4.65 % on Common Voice, by its makers' card. */
const PIANISSIMO: FetchedModel = {
  kind: 'fetched',
  id: 'pianissimo-sv-int8',
  name: 'Klang Pianissimo',
  repository: 'KlangAI/pianissimo-sv-onnx',
  commit: '63730c6021234f26b9bbae9a07a04fec39e7a52e',
  files: [
    { name: 'vocab.txt', ...PARAKEET_TOKENS },
    {
      name: 'decoder_joint-model.int8.onnx',
      bytes: 30_025_652,
      sha256: '0f9213242acd8874f2717c5e3cdb888d4e7673ddf3abb9ee3a2fd2eaf0acdd03',
    },
    {
      name: 'encoder-model.int8.onnx',
      bytes: 630_313_965,
      sha256: '13288a5f4f009bf6bf8a3260044d098f6922e8caf1c564521d4962fa5749f66c',
    },
  ],
  layout: 'nemo-fused',
  parts: {
    encoder: 'encoder-model.int8.onnx',
    decoder: 'decoder_joint-model.int8.onnx',
    joiner: 'decoder_joint-model.int8.onnx',
    tokens: 'vocab.txt',
  },
  facts: PARAKEET_FACTS,
  licence: 'CC BY 4.0',
  licenceUrl: CC_BY,
  attribution: 'Klang AI AB, trained from NVIDIA Parakeet TDT 0.6b v3',
  changes: 'metadata added to the encoder, decoder and joint cut into two files',
  languages: ['sv', 'en'],
  memoryBytes: 2 * GB,
};

/** Twenty-five languages; about 15 % word errors in Swedish on FLEURS, so Swedish has its own. */
const PARAKEET: FetchedModel = {
  kind: 'fetched',
  id: 'parakeet-tdt-v3-int8',
  name: 'NVIDIA Parakeet TDT 0.6b v3',
  repository: 'csukuangfj/sherpa-onnx-nemo-parakeet-tdt-0.6b-v3-int8',
  commit: '2bda32ec70b097a55adaa07d9a7173915b43cc78',
  files: [
    { name: 'tokens.txt', ...PARAKEET_TOKENS },
    {
      name: 'joiner.int8.onnx',
      bytes: 6_355_277,
      sha256: '3164c13fc2821009440d20fcb5fdc78bff28b4db2f8d0f0b329101719c0948b3',
    },
    {
      name: 'decoder.int8.onnx',
      bytes: 11_845_275,
      sha256: '179e50c43d1a9de79c8a24149a2f9bac6eb5981823f2a2ed88d655b24248db4e',
    },
    {
      name: 'encoder.int8.onnx',
      bytes: 652_184_281,
      sha256: 'acfc2b4456377e15d04f0243af540b7fe7c992f8d898d751cf134c3a55fd2247',
    },
  ],
  layout: 'sherpa-transducer',
  parts: {
    encoder: 'encoder.int8.onnx',
    decoder: 'decoder.int8.onnx',
    joiner: 'joiner.int8.onnx',
    tokens: 'tokens.txt',
  },
  facts: PARAKEET_FACTS,
  licence: 'CC BY 4.0',
  licenceUrl: CC_BY,
  attribution: 'NVIDIA; exported for sherpa-onnx by Fangjun Kuang',
  changes: null,
  languages: [
    ...['en', 'bg', 'hr', 'cs', 'da', 'nl', 'et', 'fi', 'fr', 'de', 'el', 'hu', 'it', 'lv', 'lt'],
    ...['mt', 'pl', 'pt', 'ro', 'sk', 'sl', 'es', 'sv', 'ru', 'uk'],
  ],
  memoryBytes: 2 * GB,
};

/** Every model this server runs by itself: the first of them that has a language writes it. */
export const CATALOGUE: readonly KnownModel[] = [MOONSHINE, PIANISSIMO, PARAKEET];

/** The model that writes `language`; null when none here does. */
export function modelFor(
  language: string,
  catalogue: readonly KnownModel[] = CATALOGUE,
): KnownModel | null {
  return catalogue.find(({ languages }) => languages.includes(language)) ?? null;
}
