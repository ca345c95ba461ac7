import { SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import {
  AUDIO_BITRATE_BPS,
  type AudioType,
  type SoundPackets,
} from '../../src/core/audio/audio-types.ts';
import { joinPcm, readWav, writePcm } from '../../src/core/audio/wav-file.ts';
import type { WorkerAssets } from '../../src/core/contracts/asset-addresses.ts';
import { askWorkers } from './ask-worker.ts';
import { encodePackets } from './encode-packets.ts';
import type { OpusQuestion } from './opus.worker.ts';

/** A way to write and read a type of file. Muxers are loaded when they are first needed. */
export type AudioFormat = {
  readonly type: AudioType;
  /** Its codec is a script, and large: not fetched before files are proved. */
  readonly isScript: boolean;
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

/** Words that are still being spoken are packed every other second, and starting takes a tenth of one. */
const OPUS_KEPT_MS = 60_000;

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

const joinWebm: AudioFormat['join'] = async (parts) =>
  (await import('./webm-file.ts')).writeWebm(parts, SAMPLE_RATE_HZ);

/** Needs nothing of the browser. */
export const WAV: AudioFormat = {
  type: 'audio/wav',
  isScript: false,
  pack: async (samples) => packPcm(samples),
  join: async (parts) => joinPcm(parts.map(({ bytes }) => bytes)),
  decode: async (bytes) => readWav(bytes),
};

/**
 * The recording formats, best first: Opus in WebM by the browser, else by a script, before AAC in
 * MP4, which many servers refuse, and WAV, which is eight times as large. Files of the browser's own codecs are read by a worker (reading takes half a
 * second for 90 s of sound); those of the script by the script, since WebKitGTK's page dies of
 * Opus.
 */
export function audioFormats({
  reader,
  opus,
}: Pick<WorkerAssets, 'reader' | 'opus'>): readonly AudioFormat[] {
  const decode = askWorkers(reader, 'diktera-reader', 0);
  const askOpus = askWorkers(opus, 'diktera-opus', OPUS_KEPT_MS);
  const ask = <Value>(question: OpusQuestion, signal: AbortSignal) =>
    askOpus<Value>(question, signal);
  return [
    { type: 'audio/webm', isScript: false, pack: packOpus, join: joinWebm, decode },
    {
      type: 'audio/webm',
      isScript: true,
      pack: (samples, signal) => ask({ kind: 'pack', samples }, signal),
      join: joinWebm,
      decode: (bytes, signal) => ask({ kind: 'read', bytes }, signal),
    },
    {
      type: 'audio/mp4',
      isScript: false,
      pack: (samples, signal) => encodePackets(samples, 'audio/mp4', AAC, signal),
      join: async (parts) => (await import('./mp4-file.ts')).writeMp4(parts, SAMPLE_RATE_HZ),
      decode,
    },
    WAV,
  ];
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
