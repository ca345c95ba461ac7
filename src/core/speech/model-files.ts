import type { SpeechModel } from './speech-engine.ts';

/** A model file as it must be, byte for byte. */
export type ModelFile = {
  /** Name below the `models/` folder; holds the start of the hash, so it can be cached for ever. */
  readonly fileName: string;
  /** The file in the npm package it comes from. */
  readonly packagePath: string;
  readonly bytes: number;
  readonly sha256: string;
};

/** Silero's models (MIT) as shipped in the npm package `@ricky0123/vad-web` 0.0.31. */
export const MODEL_FILES: Readonly<Record<SpeechModel, ModelFile>> = {
  v6: {
    fileName: 'silero-v6.1a153a22.onnx',
    packagePath: '@ricky0123/vad-web/dist/silero_vad_v6.onnx',
    bytes: 2_327_524,
    sha256: '1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3',
  },
  v4: {
    fileName: 'silero-v4.a35ebf52.onnx',
    packagePath: '@ricky0123/vad-web/dist/silero_vad_legacy.onnx',
    bytes: 1_807_522,
    sha256: 'a35ebf52fd3ce5f1469b2a36158dba761bc47b973ea3382b3186ca15b1f5af28',
  },
};
