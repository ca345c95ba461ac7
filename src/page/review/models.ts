import type { Model } from '../swedish/models-client.ts';

/** The Swedish model, as a server tells of it that has nothing of it. */
export const REVIEW_MODEL: Model = {
  id: 'pianissimo-sv-int8',
  name: 'Klang Pianissimo',
  languages: ['sv', 'en'],
  state: 'absent',
  fault: null,
  share: 0,
  downloadBytes: 660_433_556,
  diskBytes: 1_370_867_112,
  memoryBytes: 2_000_000_000,
  licence: 'CC BY 4.0',
  licenceUrl: 'https://creativecommons.org/licenses/by/4.0/',
  attribution: 'Klang AI AB, trained from NVIDIA Parakeet TDT 0.6b v3',
  source: 'https://huggingface.co/KlangAI/pianissimo-sv-onnx',
  changes: 'metadata added to the encoder, decoder and joint cut into two files',
};

/** It in every stage that looks different. */
export const REVIEW_MODELS: readonly Model[] = [
  REVIEW_MODEL,
  { ...REVIEW_MODEL, state: 'fetching', share: 0.42 },
  { ...REVIEW_MODEL, state: 'paused', share: 0.42 },
  { ...REVIEW_MODEL, state: 'converting', share: 0.96 },
  { ...REVIEW_MODEL, state: 'failed', fault: 'disk-small' },
  { ...REVIEW_MODEL, state: 'quarantined', fault: 'memory-small' },
  { ...REVIEW_MODEL, state: 'ready', share: 1 },
];
