import { SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import {
  AUDIO_BITRATE_BPS,
  type AudioType,
  type SoundPackets,
} from '../../src/core/audio/audio-types.ts';
import { encodePackets } from './encode-packets.ts';
import { readInWorker } from './read-in-worker.ts';
import { joinPcm, readWav, writePcm } from './wav-file.ts';

/** How a format is written and read. Muxers are loaded when they are first needed. */
export type AudioFormat = {
  pack(samples: Float32Array, signal: AbortSignal): Promise<SoundPackets>;
  /** One file of parts packed in this format. */
  join(parts: readonly SoundPackets[]): Promise<ArrayBuffer>;
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
async function packOpus(samples: Float32Array, signal: AbortSignal): Promise<SoundPackets> {
  try {
    return await encodePackets(samples, 'audio/webm', LEAN_OPUS, signal);
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    return encodePackets(samples, 'audio/webm', OPUS, signal);
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
      pack: packOpus,
      join: async (parts) => (await import('./webm-file.ts')).writeWebm(parts, SAMPLE_RATE_HZ),
      decode,
    },
    'audio/mp4': {
      pack: (samples, signal) => encodePackets(samples, 'audio/mp4', AAC, signal),
      join: async (parts) => (await import('./mp4-file.ts')).writeMp4(parts, SAMPLE_RATE_HZ),
      decode,
    },
    'audio/wav': {
      pack: async (samples) => packPcm(samples),
      join: async (parts) => joinPcm(parts.map(({ bytes }) => bytes)),
      decode: async (bytes) => readWav(bytes),
    },
  };
}

function packPcm(samples: Float32Array): SoundPackets {
  const bytes = writePcm(samples);
  const { length } = samples;
  const sizes = [bytes.byteLength];
  return {
    type: 'audio/wav',
    codec: null,
    bytes,
    sizes,
    packetSamples: length,
    durationSamples: length,
  };
}
