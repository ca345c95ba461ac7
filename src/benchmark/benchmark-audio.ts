import { SAMPLE_RATE_HZ } from '../core/audio/audio-format.ts';
import { downMix } from '../core/audio/samples.ts';
import { DikteraError } from '../core/errors.ts';

/** The built-in sample: two spoken sentences. */
const BUILT_IN = 'benchmark-speech.wav';

/** More of a file than this is not used: every engine hears it all once, the slow ones, too. */
export const MAX_AUDIO_SECONDS = 300;

/** Audio to measure with, 16 kHz mono. */
export type BenchmarkAudio = {
  readonly name: string;
  readonly samples: Float32Array;
  /** The file was longer, and only its beginning is used. */
  readonly isCut: boolean;
};

/** Fetches and decodes the built-in sample. Throws `asset-unreachable` or `asset-wrong`. */
export async function builtInAudio(pageBaseUrl: string): Promise<BenchmarkAudio> {
  const address = new URL(BUILT_IN, pageBaseUrl).href;
  const response = await fetch(address).catch((cause: unknown) => {
    throw new DikteraError('asset-unreachable', `${address} could not be fetched`, { cause });
  });
  if (!response.ok) {
    throw new DikteraError('asset-unreachable', `${address}: HTTP status ${response.status}`);
  }
  return decodeAudio(BUILT_IN, await response.arrayBuffer());
}

/** Decodes a file of any kind the browser plays. Throws `asset-wrong` when it can't. */
export async function decodeAudio(name: string, file: ArrayBuffer): Promise<BenchmarkAudio> {
  const context = new OfflineAudioContext(1, 1, SAMPLE_RATE_HZ);
  const decoded = await context.decodeAudioData(file).catch((cause: unknown) => {
    throw new DikteraError('asset-wrong', `${name} is no audio that this browser plays`, { cause });
  });
  const length = Math.min(decoded.length, MAX_AUDIO_SECONDS * SAMPLE_RATE_HZ);
  if (length === 0) throw new DikteraError('asset-wrong', `${name} holds no audio`);
  const channels = Array.from({ length: decoded.numberOfChannels }, (_, channel) =>
    decoded.getChannelData(channel),
  );
  const samples = new Float32Array(length);
  downMix(channels, 0, length, samples);
  return { name, samples, isCut: decoded.length > length };
}
