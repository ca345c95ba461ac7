import { createDecoder, createEncoder } from 'libopus-wasm';
import { BufferSource, EncodedPacketSink, Input, WEBM } from 'mediabunny';
import { SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import { AUDIO_BITRATE_BPS, type SoundPackets } from '../../src/core/audio/audio-types.ts';
import { concatSamples } from '../../src/core/audio/samples.ts';
import { DikteraError } from '../../src/core/errors.ts';
import { answerAsked } from './ask-worker.ts';
import { joinPackets } from './encode-packets.ts';

/** Samples to make packets of, or a WebM file to read. */
export type OpusQuestion =
  | { readonly kind: 'pack'; readonly samples: Float32Array }
  | { readonly kind: 'read'; readonly bytes: ArrayBuffer };

answerAsked(
  (question: OpusQuestion): Promise<SoundPackets | Float32Array> =>
    question.kind === 'pack' ? packOpus(question.samples) : readOpus(question.bytes),
  (value) => [value instanceof Float32Array ? value.buffer : value.bytes],
);

/** As the browser's own is asked for: see `LEAN_OPUS` in `audio-formats.ts`. */
const COMPLEXITY = 5;
const PACKET_SAMPLES = (SAMPLE_RATE_HZ * 40) / 1_000;

/** Opus counts its delay at this rate, whatever the sound's own (RFC 7845, section 4.2). */
const OPUS_RATE_HZ = 48_000;

/** Opus, 16 kHz mono, as `encodePackets` makes it, by libopus in WASM. */
export async function packOpus(samples: Float32Array): Promise<SoundPackets> {
  const encoder = await createEncoder({
    channels: 1,
    sampleRate: SAMPLE_RATE_HZ,
    frameSize: PACKET_SAMPLES,
    bitrate: AUDIO_BITRATE_BPS,
    complexity: COMPLEXITY,
  });
  try {
    // The codec answers late: what follows the last sample pushes it out.
    const delaySamples = encoder.getLookahead();
    const count = Math.ceil((samples.length + delaySamples) / PACKET_SAMPLES);
    const padded = new Float32Array(count * PACKET_SAMPLES);
    padded.set(samples);
    const packets = Array.from({ length: count }, (_, index) =>
      encoder.encodeFloat(padded.subarray(index * PACKET_SAMPLES, (index + 1) * PACKET_SAMPLES)),
    );
    return {
      type: 'audio/webm',
      codec: {
        codec: 'opus',
        sampleRate: SAMPLE_RATE_HZ,
        numberOfChannels: 1,
        description: opusHead(delaySamples * (OPUS_RATE_HZ / SAMPLE_RATE_HZ)),
      },
      ...joinPackets(packets),
      packetSamples: PACKET_SAMPLES,
      durationSamples: samples.length,
    };
  } finally {
    encoder.free();
  }
}

/** The samples of a WebM file of mono Opus, at 16 kHz. */
async function readOpus(bytes: ArrayBuffer): Promise<Float32Array> {
  const input = new Input({ formats: [WEBM], source: new BufferSource(bytes) });
  const decoder = await createDecoder({ channels: 1, sampleRate: SAMPLE_RATE_HZ });
  try {
    const track = await input.getPrimaryAudioTrack();
    if (!track || (await track.getCodec()) !== 'opus') {
      throw new DikteraError('encoding-failed', 'The file has no Opus in it');
    }
    const parts: Float32Array[] = [];
    for await (const { data } of new EncodedPacketSink(track).packets()) {
      parts.push(decoder.decodeFloat(data));
    }
    if (parts.length === 0) throw new DikteraError('encoding-failed', 'The file holds no sound');
    return concatSamples(parts);
  } finally {
    decoder.free();
    input.dispose();
  }
}

/** The head of an Opus stream, which decoders need (RFC 7845, section 5.1). */
function opusHead(delayAtOpusRate: number): ArrayBuffer {
  const head = new DataView(new ArrayBuffer(19));
  for (const [index, letter] of [...'OpusHead'].entries()) {
    head.setUint8(index, letter.charCodeAt(0));
  }
  head.setUint8(8, 1); // version
  head.setUint8(9, 1); // channels
  head.setUint16(10, delayAtOpusRate, true);
  head.setUint32(12, SAMPLE_RATE_HZ, true);
  return head.buffer;
}
