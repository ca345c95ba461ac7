import {
  BufferSource,
  BufferTarget,
  EncodedAudioPacketSource,
  type EncodedPacket,
  EncodedPacketSink,
  Input,
  Mp4OutputFormat,
  OGG,
  OggOutputFormat,
  Output,
  type OutputFormat,
} from 'mediabunny';
import { fixture } from './running-server.ts';

/** Speech as Opus packets of 20 ms, with how they are to be decoded. */
export type OpusSpeech = {
  readonly packets: readonly EncodedPacket[];
  readonly config: AudioDecoderConfig;
};

/** The fixture's packets, or its first so many. */
export async function opusSpeech(count?: number): Promise<OpusSpeech> {
  const input = new Input({ source: new BufferSource(fixture('speech-en.ogg')), formats: [OGG] });
  const track = (await input.getPrimaryAudioTrack())!;
  const packets: EncodedPacket[] = [];
  for await (const packet of new EncodedPacketSink(track).packets()) packets.push(packet);
  return { packets: packets.slice(0, count), config: (await track.getDecoderConfig())! };
}

/** The forms in which a WebM may be written. */
export type WebmForm = {
  /** The length of an unknown segment size, in bytes; null: sizes are known. */
  readonly segmentUnknown: number | null;
  readonly clusterUnknown: number | null;
  readonly packetsPerCluster: number;
  readonly blocks: 'simple' | 'group';
  /** Bytes behind the last cluster. */
  readonly trailer?: Uint8Array;
};

const PACKET_MS = 20;

/** A WebM by hand, as browsers' recorders and others write it. */
export function webmFile({ packets, config }: OpusSpeech, form: WebmForm): Uint8Array {
  const track = element(
    0xae,
    element(0xd7, [1]),
    element(0x73c5, [1]),
    element(0x83, [2]),
    element(0x86, Buffer.from('A_OPUS')),
    element(0x63a2, new Uint8Array(config.description as ArrayBuffer)),
    element(0xe1, element(0xb5, float(48_000)), element(0x9f, [1])),
  );
  const parts = [
    element(
      0x1549a966,
      element(0x2ad7b1, [0x0f, 0x42, 0x40]),
      element(0x4d80, Buffer.from('test')),
    ),
    element(0x1654ae6b, track),
  ];
  for (let first = 0; first < packets.length; first += form.packetsPerCluster) {
    const group = packets.slice(first, first + form.packetsPerCluster);
    const time = element(0xe7, u16(first * PACKET_MS));
    const blocks = group.map(({ data }, at) => {
      const head = [0x81, ...u16(at * PACKET_MS)];
      if (form.blocks === 'simple') return element(0xa3, Buffer.from([...head, 0x80]), data);
      return element(0xa0, element(0xa1, Buffer.from([...head, 0]), data));
    });
    parts.push(sized(0x1f43b675, form.clusterUnknown, Buffer.concat([time, ...blocks])));
  }
  if (form.trailer) parts.push(Buffer.from(form.trailer));
  const doctype = [
    element(0x4282, Buffer.from('webm')),
    element(0x4287, [4]),
    element(0x4285, [2]),
  ];
  return Buffer.concat([
    element(0x1a45dfa3, ...doctype),
    sized(0x18538067, form.segmentUnknown, Buffer.concat(parts)),
  ]);
}

/** The same packets in an MP4 or Ogg. */
export async function muxed(
  { packets, config }: OpusSpeech,
  format: 'faststart' | 'fragmented' | 'moov-last' | 'ogg',
): Promise<Uint8Array> {
  const formats: Record<typeof format, () => OutputFormat> = {
    faststart: () => new Mp4OutputFormat({ fastStart: 'in-memory' }),
    fragmented: () => new Mp4OutputFormat({ fastStart: 'fragmented', minimumFragmentDuration: 1 }),
    'moov-last': () => new Mp4OutputFormat({ fastStart: false }),
    ogg: () => new OggOutputFormat(),
  };
  const target = new BufferTarget();
  const output = new Output({ format: formats[format](), target });
  const source = new EncodedAudioPacketSource('opus');
  output.addAudioTrack(source);
  await output.start();
  for (const packet of packets) await source.add(packet, { decoderConfig: config });
  await output.finalize();
  return new Uint8Array(target.buffer!);
}

/** Where each packet ends in a file that holds them one after the other. */
export function packetEnds(file: Uint8Array, { packets }: OpusSpeech): readonly number[] {
  const bytes = Buffer.from(file);
  let from = 0;
  return packets.map(({ data }) => {
    const at = bytes.indexOf(data, from);
    if (at < 0) throw new Error('a packet is not in the file');
    from = at + data.length;
    return from;
  });
}

/** An element of Matroska with a size in as few bytes as it takes. */
export function element(id: number, ...content: (Uint8Array | readonly number[])[]): Buffer {
  return sized(id, null, Buffer.concat(content.map((part) => Uint8Array.from(part))));
}

function sized(id: number, unknown: number | null, content: Uint8Array): Buffer {
  const hex = id.toString(16);
  const head = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  return Buffer.concat([
    head,
    unknown === null ? sizeOf(content.length) : noSize(unknown),
    content,
  ]);
}

function sizeOf(bytes: number): Buffer {
  const width = [1, 2, 3, 4].find((one) => bytes < 2 ** (7 * one) - 1)!;
  const size = Buffer.alloc(width);
  size.writeUIntBE(bytes + 2 ** (7 * width), 0, width);
  return size;
}

/** All ones behind the mark that says how many bytes there are. */
function noSize(width: number): Buffer {
  const size = Buffer.alloc(width, 0xff);
  size[0] = 0xff >> (width - 1);
  return size;
}

const u16 = (value: number) => [value >> 8, value & 0xff];

function float(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes;
}
