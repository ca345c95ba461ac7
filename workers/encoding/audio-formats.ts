import { SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import { AUDIO_BITRATE_BPS, type AudioType } from '../../src/core/audio/audio-types.ts';
import { type EncodedPackets, encodePackets } from './encode-packets.ts';
import { readInWorker } from './read-in-worker.ts';
import { readWav, writeWav } from './wav-file.ts';

/** How a format is written and read. Muxers are loaded when they are first needed. */
export type AudioFormat = {
  encode(samples: Float32Array, signal: AbortSignal): Promise<ArrayBuffer>;
  /** May give a little more than went in: codecs have frames. */
  decode(bytes: ArrayBuffer, signal: AbortSignal): Promise<Float32Array>;
};

const MONO_SPEECH = {
  sampleRate: SAMPLE_RATE_HZ,
  numberOfChannels: 1,
  bitrate: AUDIO_BITRATE_BPS,
};

const OPUS: AudioEncoderConfig = { ...MONO_SPEECH, codec: 'opus' };

/**
 * Measured on 90 s of human speech in Chromium: complexity 5 takes a third of the default's time,
 * and packets of 40 ms instead of 20 save 5 % of the file.
 */
const LEAN_OPUS: AudioEncoderConfig = {
  ...OPUS,
  opus: { complexity: 5, frameDuration: 40_000 },
};

const AAC: AudioEncoderConfig = { ...MONO_SPEECH, codec: 'mp4a.40.2' };

/** A browser that will not have it lean still has Opus. */
async function encodeOpus(samples: Float32Array, signal: AbortSignal): Promise<EncodedPackets> {
  try {
    return await encodePackets(samples, LEAN_OPUS, signal);
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    return encodePackets(samples, OPUS, signal);
  }
}

/**
 * The formats of the spec's section 9; compressed ones are read by the worker whose script is at
 * `reader`.
 */
export function audioFormats(reader: string): Readonly<Record<AudioType, AudioFormat>> {
  const decode: AudioFormat['decode'] = (bytes, signal) => readInWorker(reader, bytes, signal);
  return {
    'audio/webm': {
      async encode(samples, signal) {
        const packets = await encodeOpus(samples, signal);
        const { writeWebm } = await import('./webm-file.ts');
        return writeWebm(packets);
      },
      decode,
    },
    'audio/mp4': {
      async encode(samples, signal) {
        const packets = await encodePackets(samples, AAC, signal);
        const { writeMp4 } = await import('./mp4-file.ts');
        return writeMp4(packets);
      },
      decode,
    },
    'audio/wav': {
      encode: async (samples) => writeWav(samples),
      decode: async (bytes) => readWav(bytes),
    },
  };
}
