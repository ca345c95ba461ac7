import {
  type AudioCodec,
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  Output,
  type OutputFormat,
} from 'mediabunny';
import type { PacketCodec, SoundPackets } from '../../src/core/audio/audio-types.ts';

// Whatever this imported at run time it would share with the worker, and take from the worker's own
// file, which WebKit runs again then: the rate is given, and errors are plain (`worker-files`).

/** The file that the packets go into. */
type PacketFileFormat = {
  readonly format: OutputFormat;
  readonly codec: AudioCodec;
  readonly sampleRateHz: number;
};

/**
 * Puts packets into a file. Rejects with whatever the muxer threw.
 *
 * Where a part is followed by another, what its last packets hold beyond its end is left out; a
 * codec's delay (6.5 ms in Opus) goes with them.
 */
export async function writeFile(
  parts: readonly SoundPackets[],
  { format, codec, sampleRateHz }: PacketFileFormat,
): Promise<ArrayBuffer> {
  const target = new BufferTarget();
  const output = new Output({ format, target });
  const source = new EncodedAudioPacketSource(codec);
  output.addAudioTrack(source);
  await output.start();
  let partStart = 0;
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const endSample = isLast ? Number.POSITIVE_INFINITY : part.durationSamples;
    const metadata = { decoderConfig: decoderConfigOf(part.codec) };
    for (const { startSample, data } of packetsOf(part)) {
      if (startSample >= endSample) break;
      const atSecond = (partStart + startSample) / sampleRateHz;
      const seconds = part.packetSamples / sampleRateHz;
      await source.add(new EncodedPacket(data, 'key', atSecond, seconds), metadata);
    }
    partStart += part.durationSamples;
  }
  await output.finalize();
  if (!target.buffer) throw new Error('The muxer made no file');
  return target.buffer;
}

function* packetsOf({ bytes, sizes, packetSamples }: SoundPackets) {
  let offset = 0;
  for (const [index, size] of sizes.entries()) {
    yield { startSample: index * packetSamples, data: new Uint8Array(bytes, offset, size) };
    offset += size;
  }
}

function decoderConfigOf(codec: PacketCodec | null): AudioDecoderConfig {
  if (!codec) throw new Error('PCM does not go into this file');
  const { description, ...config } = codec;
  return description ? { ...config, description } : config;
}
