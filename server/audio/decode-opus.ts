import { OpusDecoder } from 'opus-decoder';
import { SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import { downMix, type PacketReader, type SampleCollector } from './decoded-audio.ts';

/** The head of an Opus stream (RFC 7845, section 5.1). */
export type OpusHead = {
  readonly channels: number;
  /** Samples at 48 kHz to throw away at the start. */
  readonly preSkip48k: number;
  /** The packing of the channels; null for plain mono or stereo. */
  readonly mapping: {
    readonly streamCount: number;
    readonly coupledStreamCount: number;
    readonly channelMappingTable: number[];
  } | null;
};

const MAGIC = 'OpusHead';
const PLAIN_BYTES = 19;
const MAX_CHANNELS = 8;

/** Reads an OpusHead; throws when it is not one or has no channel or more than eight. */
function parseOpusHead(bytes: Uint8Array): OpusHead {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < PLAIN_BYTES || String.fromCharCode(...bytes.subarray(0, 8)) !== MAGIC) {
    throw new Error('not an OpusHead');
  }
  const channels = view.getUint8(9);
  if (channels < 1 || channels > MAX_CHANNELS) throw new Error(`${channels} channels`);
  return { channels, preSkip48k: view.getUint16(10, true), mapping: parseMapping(view, channels) };
}

function parseMapping(view: DataView, channels: number): OpusHead['mapping'] {
  const family = view.getUint8(18);
  if (family === 0) {
    if (channels > 2) throw new Error(`${channels} channels without a mapping`);
    return null;
  }
  const streamCount = view.getUint8(19);
  const coupledStreamCount = view.getUint8(20);
  const channelMappingTable = Array.from({ length: channels }, (_, at) => view.getUint8(21 + at));
  const outOfRange = channelMappingTable.some(
    (stream) => stream !== 255 && stream >= streamCount + coupledStreamCount,
  );
  if (streamCount < 1 || coupledStreamCount > streamCount || outOfRange) {
    throw new Error('a channel mapping that cannot be');
  }
  return { streamCount, coupledStreamCount, channelMappingTable };
}

/** Pre-skip is counted at Opus's own 48 kHz whatever rate one decodes to. */
const PRE_SKIP_DIVISOR = 48_000 / SAMPLE_RATE_HZ;

/** The decoder prints a line for each packet it cannot read, so it is not asked for ever. */
const MAX_BAD_PACKETS = 50;

/** The decoder's input buffer, per channel. A longer packet (over 256 kbit/s) is no speech. */
const MAX_PACKET_BYTES = 3_840;

/**
 * One stream on two channels, for the input buffer of two: 120 ms of mono in one packet take up to
 * 7,663 bytes.
 */
const MONO_IN_TWO = {
  channels: 2,
  streamCount: 1,
  coupledStreamCount: 0,
  channelMappingTable: [0, 0],
};

/**
 * Decodes an Opus track to 16 kHz mono into `collector`. Packets that cannot be read are skipped;
 * the answer says whether there were none. Throws when the container breaks off or too many packets
 * are bad.
 */
export async function decodeOpus(
  packets: PacketReader['packets'],
  description: Uint8Array,
  collector: SampleCollector,
): Promise<boolean> {
  const head = parseOpusHead(description);
  const layout =
    head.channels === 1 && head.mapping === null
      ? MONO_IN_TWO
      : { channels: head.channels, ...head.mapping };
  const decoder = new OpusDecoder({ sampleRate: SAMPLE_RATE_HZ, ...layout });
  await decoder.ready;

  let toSkip = Math.round(head.preSkip48k / PRE_SKIP_DIVISOR);
  let badPackets = 0;
  try {
    for await (const { data } of packets()) {
      const isReadable = data.length > 0 && data.length <= MAX_PACKET_BYTES * layout.channels;
      const decoded = isReadable ? decoder.decodeFrame(data) : null;
      if (decoded === null || decoded.errors.length > 0) {
        badPackets++;
        if (badPackets > MAX_BAD_PACKETS) throw new Error('too many packets cannot be read');
        continue;
      }
      const mono = downMix(decoded.channelData);
      collector.add(mono.subarray(toSkip));
      toSkip = Math.max(0, toSkip - mono.length);
    }
  } finally {
    decoder.free();
  }
  return badPackets === 0;
}
