import { SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import type { AudioType, SoundPackets } from '../../src/core/audio/audio-types.ts';
import { DikteraError } from '../../src/core/errors.ts';

/** Given to the encoder at a time. */
const BLOCK_SAMPLES = SAMPLE_RATE_HZ;

/**
 * Silence after the last sample: codecs answer late (Opus by 6.5 ms), and not every browser's flush
 * gives what is still inside.
 */
const TAIL_SAMPLES = 320;

/** Packets beyond the samples' length: one for the codec's delay, and one that is begun. */
const SPARE_PACKETS = 2;

const US_PER_SECOND = 1_000_000;

/**
 * Encodes 16 kHz mono samples with WebCodecs, for a file of that type. Throws `encoding-failed`, also when the packets do
 * not cover the samples, or by what they say would cover far more; stops when `signal` is aborted.
 */
export async function encodePackets(
  samples: Float32Array,
  type: AudioType,
  config: AudioEncoderConfig,
  signal: AbortSignal,
): Promise<SoundPackets> {
  if (typeof AudioEncoder === 'undefined') {
    throw new DikteraError('encoding-failed', 'This browser has no WebCodecs audio encoder');
  }
  const chunks: EncodedAudioChunk[] = [];
  let metadata: EncodedAudioChunkMetadata | undefined;
  let failure: DOMException | undefined;
  const encoder = new AudioEncoder({
    output: (chunk, chunkMetadata) => {
      chunks.push(chunk);
      metadata ??= chunkMetadata;
    },
    error: (error) => {
      failure = error;
    },
  });
  const close = () => {
    if (encoder.state !== 'closed') encoder.close();
  };
  signal.addEventListener('abort', close);
  try {
    encoder.configure(config);
    feed(encoder, samples);
    await encoder.flush();
  } catch (thrown) {
    const cause = failure ?? thrown;
    throw new DikteraError('encoding-failed', `${config.codec}: ${describe(cause)}`, { cause });
  } finally {
    signal.removeEventListener('abort', close);
    close();
  }
  const decoder = metadata?.decoderConfig;
  if (!decoder || coveredSamples(chunks) < samples.length) {
    throw new DikteraError('encoding-failed', `${config.codec}: the encoder dropped audio`);
  }
  const packetSamples = toSamples(chunks[0]?.duration ?? 0);
  // WebKitGTK gives each packet the length of all that went in with it: a file of several parts
  // would leave most of them out.
  if ((chunks.length - SPARE_PACKETS) * packetSamples > samples.length + TAIL_SAMPLES) {
    throw new DikteraError('encoding-failed', `${config.codec}: packets of no true length`);
  }
  const { codec, sampleRate, numberOfChannels, description } = decoder;
  return {
    type,
    codec: {
      codec,
      sampleRate,
      numberOfChannels,
      description: description ? toArrayBuffer(description) : null,
    },
    ...joinPackets(chunks.map(bytesOf)),
    packetSamples,
    durationSamples: samples.length,
  };
}

function bytesOf(chunk: EncodedAudioChunk): Uint8Array {
  const bytes = new Uint8Array(chunk.byteLength);
  chunk.copyTo(bytes);
  return bytes;
}

function toArrayBuffer(source: AllowSharedBufferSource): ArrayBuffer {
  const { buffer, byteOffset, byteLength } = ArrayBuffer.isView(source)
    ? source
    : new Uint8Array(source);
  return new Uint8Array(buffer, byteOffset, byteLength).slice().buffer;
}

function feed(encoder: AudioEncoder, samples: Float32Array): void {
  const padded = new Float32Array(samples.length + TAIL_SAMPLES);
  padded.set(samples);
  for (let offset = 0; offset < padded.length; offset += BLOCK_SAMPLES) {
    const data = padded.slice(offset, offset + BLOCK_SAMPLES);
    const block = new AudioData({
      format: 'f32-planar',
      sampleRate: SAMPLE_RATE_HZ,
      numberOfChannels: 1,
      numberOfFrames: data.length,
      timestamp: Math.round((offset / SAMPLE_RATE_HZ) * US_PER_SECOND),
      data,
    });
    encoder.encode(block);
    block.close();
  }
}

/** From the first packet's start to the last one's end. */
function coveredSamples(chunks: readonly EncodedAudioChunk[]): number {
  const first = chunks[0];
  const last = chunks.at(-1);
  if (!first || !last) return 0;
  const coveredUs = last.timestamp + (last.duration ?? 0) - first.timestamp;
  return toSamples(coveredUs);
}

function toSamples(us: number): number {
  return Math.round((us / US_PER_SECOND) * SAMPLE_RATE_HZ);
}

function describe(thrown: unknown): string {
  return thrown instanceof Error || thrown instanceof DOMException
    ? `${thrown.name}: ${thrown.message}`
    : String(thrown);
}

/** Packets as they are kept: one after the other, and how large each is. */
export function joinPackets(packets: readonly Uint8Array[]): Pick<SoundPackets, 'bytes' | 'sizes'> {
  const sizes = packets.map(({ byteLength }) => byteLength);
  const bytes = new Uint8Array(sizes.reduce((sum, size) => sum + size, 0));
  let offset = 0;
  for (const packet of packets) {
    bytes.set(packet, offset);
    offset += packet.byteLength;
  }
  return { bytes: bytes.buffer, sizes };
}
