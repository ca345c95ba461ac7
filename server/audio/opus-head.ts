/** What an Opus stream says of itself (RFC 7845, section 5.1). */
export type OpusHead = {
  readonly channels: number;
  /** Samples at 48 kHz to throw away at the start. */
  readonly preSkip48k: number;
  /** How the channels are packed; null for plain mono or stereo. */
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
export function parseOpusHead(bytes: Uint8Array): OpusHead {
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
