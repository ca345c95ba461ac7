// Silero v6.2 (MIT) as shipped in the npm package `@ricky0123/vad-web` 0.0.31. Each realm takes what
// it needs: together they are 200 bytes of a first visit.

/** Its name below the `models/` folder; holds the start of the hash, so it can be cached for ever. */
export const MODEL_FILE_NAME = 'silero-v6.1a153a22.onnx';

/** Where it is in its package. */
export const MODEL_PACKAGE_PATH = '@ricky0123/vad-web/dist/silero_vad_v6.onnx';

/** The file as it must be, byte for byte. */
export const MODEL_FILE = {
  bytes: 2_327_524,
  sha256: '1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3',
} as const;
