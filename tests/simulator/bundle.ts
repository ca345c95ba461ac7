import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'rolldown';

const AUDIO_FORMAT = /src\/core\/audio\/audio-format\.ts$/;

/** A sample a millisecond: 16 times fewer, in frames and chunks that last as long as ever. */
const COARSE = [
  ['SAMPLE_RATE_HZ = 16_000', 'SAMPLE_RATE_HZ = 1_000'],
  ['FRAME_SAMPLES = 1_536', 'FRAME_SAMPLES = 96'],
] as const;

/**
 * No story hangs on how fine its sound is, and most of its work would be on samples: the whole
 * product is played at a coarser rate, which it has from one place.
 */
const coarseAudio: Plugin = {
  name: 'coarse-audio',
  transform: {
    filter: { id: AUDIO_FORMAT },
    handler(code) {
      return COARSE.reduce((coarse, [fine, less]) => {
        if (!coarse.includes(fine)) throw new Error(`Not in the audio format: ${fine}`);
        return coarse.replace(fine, less);
      }, code);
    },
  },
};

/**
 * Comlink has each proxy's port held until the proxy is collected, so that it can be closed. A made
 * port leads to the whole story, and so to the proxy: no story would ever be collected, half a
 * megabyte each.
 */
const NO_FINALIZATION = 'delete globalThis.FinalizationRegistry;';

/** Makes one file of the simulator and of the product in it, for threads. The answer is its path. */
export async function bundleStories(): Promise<string> {
  const file = fileURLToPath(new URL('../../.cache/simulator/thread.mjs', import.meta.url));
  await build({
    input: fileURLToPath(new URL('thread.ts', import.meta.url)),
    platform: 'node',
    plugins: [coarseAudio],
    logLevel: 'warn',
    output: { format: 'esm', file, banner: NO_FINALIZATION, codeSplitting: false },
  });
  return file;
}
