import {
  type AudioCodec,
  BufferTarget,
  EncodedAudioPacketSource,
  type EncodedPacket,
  EncodedPacketSink,
  FlacOutputFormat,
  type InputAudioTrack,
  Mp3OutputFormat,
  Mp4OutputFormat,
  OggOutputFormat,
  Output,
  type OutputFormat,
} from 'mediabunny';
import type { SoundPiece } from '../../src/platform/file-sound.ts';

/** Lengths in seconds. A server takes a chunk of a dictation, which is as long, in one request. */
export type PacketLimits = { readonly mostS: number; readonly searchS: number };
const LIMITS: PacketLimits = { mostS: 90, searchS: 30 };

/** A pause this long is hardly ever part of a word. */
const QUIET_S = 0.3;

/** A decoder needs those before to begin with: together they are shorter than a syllable. */
const PACKETS_BEFORE = 2;

type PacketForm = { readonly type: string; readonly format: () => OutputFormat };
const OGG: PacketForm = { type: 'audio/ogg', format: () => new OggOutputFormat() };
const FORMS: Partial<Record<AudioCodec, PacketForm>> = {
  aac: { type: 'audio/mp4', format: () => new Mp4OutputFormat({ fastStart: 'in-memory' }) },
  mp3: { type: 'audio/mpeg', format: () => new Mp3OutputFormat() },
  flac: { type: 'audio/flac', format: () => new FlacOutputFormat() },
  opus: OGG,
  vorbis: OGG,
};

/** The type of the files that a track's packets go into; null where they go into none. */
export function packedType({ codec }: Pick<InputAudioTrack, 'codec'>): string | null {
  return (codec && FORMS[codec]?.type) ?? null;
}

/**
 * Files of a track that nobody here can decode, from that time on, each made of its packets as they are. It
 * is cut where packets are smallest: most encoders spend the least on what is quiet.
 */
export async function* packetPieces(
  track: InputAudioTrack,
  fromMs: number,
  { mostS, searchS } = LIMITS,
): AsyncGenerator<SoundPiece, void> {
  const sink = new EncodedPacketSink(track);
  const from = (await sink.getPacket(fromMs / 1_000)) ?? (await sink.getFirstPacket());
  if (!from) return;
  const write = await fileWriter(track);
  let packets: EncodedPacket[] = [];
  for await (const packet of sink.packets(from)) {
    packets.push(packet);
    if (lengthOf(packets) < mostS) continue;
    const cut = smallestPlace(packets, mostS - searchS);
    yield await write(packets.slice(0, cut));
    packets = packets.slice(Math.max(1, cut - PACKETS_BEFORE));
  }
  if (packets.length > 0) yield await write(packets);
}

function startOf([first]: readonly EncodedPacket[]): number {
  return first?.timestamp ?? 0;
}

function endOf(packets: readonly EncodedPacket[]): number {
  const last = packets.at(-1);
  return last ? last.timestamp + last.duration : 0;
}

function lengthOf(packets: readonly EncodedPacket[]): number {
  return endOf(packets) - startOf(packets);
}

/** The number of packets before the middle of the smallest ones in a row, of those from a time on. */
function smallestPlace(packets: readonly EncodedPacket[], fromS: number): number {
  const startS = startOf(packets);
  const first = packets.findIndex(({ timestamp }) => timestamp - startS >= fromS);
  const each = lengthOf(packets) / packets.length;
  const row = Math.max(1, Math.round(QUIET_S / each));
  let best = { at: packets.length, bytes: Number.POSITIVE_INFINITY };
  let bytes = 0;
  for (let end = Math.max(1, first); end < packets.length; end += 1) {
    bytes += packets[end]?.byteLength ?? 0;
    bytes -= end - row >= first ? (packets[end - row]?.byteLength ?? 0) : 0;
    const isRow = end - first + 1 >= row;
    // Of equally small places the last is taken: a piece is as long as it can be.
    if (isRow && bytes <= best.bytes) best = { at: end - Math.floor(row / 2), bytes };
  }
  return Math.max(1, best.at);
}

async function fileWriter(track: InputAudioTrack) {
  const { codec } = track;
  const form = codec && FORMS[codec];
  const decoderConfig = await track.getDecoderConfig();
  if (!form || !decoderConfig) throw new Error('These packets go into no file');
  return async (packets: readonly EncodedPacket[]): Promise<SoundPiece> => {
    const target = new BufferTarget();
    const output = new Output({ format: form.format(), target });
    const source = new EncodedAudioPacketSource(codec);
    output.addAudioTrack(source);
    await output.start();
    const startS = startOf(packets);
    for (const packet of packets) {
      const moved = packet.clone({ timestamp: packet.timestamp - startS });
      await source.add(moved, { decoderConfig });
    }
    await output.finalize();
    const endMs = 1_000 * endOf(packets);
    const parts = [{ startMs: Math.max(0, 1_000 * startS), endMs }];
    return { bytes: target.buffer, parts, endMs };
  };
}
