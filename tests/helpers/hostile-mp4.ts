import { BufferSource, EncodedPacketSink, Input, MP4 } from 'mediabunny';

/** The most a count of 32 bits can claim. */
const MOST = 0xffff_ffff;

const u8 = (...values: number[]) => Buffer.from(values);
const u16 = (value: number) => u8(value >> 8, value & 0xff);

function u32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
}

function box(name: string, ...content: Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([u32(body.length + 8), Buffer.from(name, 'latin1'), body]);
}

/** Wraps a box of a fragment, so that a reader that looks only in its usual place misses it. */
const wrapped = (depth: number, inner: Buffer): Buffer =>
  depth === 0 ? inner : box('mdia', wrapped(depth - 1, inner));

const RATE_HZ = 48_000;
const PRE_SKIP = 312;

/** An Opus track whose tables are `tables`. */
function movie(tables: readonly Buffer[], ...more: Buffer[]): Buffer {
  const opusEntry = box(
    'Opus',
    Buffer.alloc(6),
    u16(1),
    Buffer.alloc(8),
    u16(1),
    u16(16),
    Buffer.alloc(4),
    u32(RATE_HZ * 0x1_0000),
    box('dOps', u8(0, 1), u16(PRE_SKIP), u32(RATE_HZ), u16(0), u8(0)),
  );
  const media = [
    box('mdhd', u32(0, 0, 0, RATE_HZ, 0, 0x55c4_0000)),
    box('hdlr', u32(0, 0), Buffer.from('soun'), Buffer.alloc(13)),
    box('minf', box('smhd', u32(0, 0)), box('stbl', box('stsd', u32(0, 1), opusEntry), ...tables)),
  ];
  const header = box('mvhd', u32(0, 0, 0, RATE_HZ, 0), Buffer.alloc(80));
  const track = box('trak', box('tkhd', u32(7, 0, 0, 1), Buffer.alloc(68)), box('mdia', ...media));
  return box('moov', header, track, ...more);
}

const FILE_TYPE = box('ftyp', Buffer.from('isom'), u32(0x200), Buffer.from('isomiso2'));

const EMPTY_TABLES = [
  box('stts', u32(0, 0)),
  box('stsc', u32(0, 0)),
  box('stsz', u32(0, 0, 0)),
  box('stco', u32(0, 0)),
];

/**
 * A fragment that claims `claimed` samples of no bytes, four thousand million unless told
 * otherwise. `depth` hides the claim that many boxes deep, where the demuxer finds it and nobody
 * else.
 */
export function endlessFragment(depth = 0, claimed = MOST): Uint8Array {
  const extends_ = box('mvex', box('trex', u32(0, 1, 1, 960, 0, 0)));
  const run = wrapped(depth, box('trun', u32(0, claimed)));
  const fragment = box('traf', box('tfhd', u32(0x02_0000, 1)), box('tfdt', u32(0, 0)), run);
  const rest = box('moof', box('mfhd', u32(0, 1)), fragment);
  return Buffer.concat([FILE_TYPE, movie(EMPTY_TABLES, extends_), rest, box('mdat', u8(0))]);
}

/** The same for a table of sample sizes of no bits each. */
export function sizesOfNoBits(depth = 0, claimed = MOST): Uint8Array {
  const tables = [
    box('stts', u32(0, 1, 1, 960)),
    box('stsc', u32(0, 1, 1, 1, 1)),
    wrapped(depth, box('stz2', u32(0), u8(0, 0, 0, 0), u32(claimed))),
    box('stco', u32(0, 1, 600)),
  ];
  return Buffer.concat([FILE_TYPE, movie(tables), box('mdat', Buffer.alloc(32))]);
}

/**
 * The first `most` packets of an MP4's speech `times` over, of which the bytes are there only once.
 */
export function sameBytesAgain(
  speech: Uint8Array,
  times: number,
  most = Number.POSITIVE_INFINITY,
): Promise<Uint8Array> {
  return repeatSpeech(speech, times, most, true);
}

/** The same for an honest file: the bytes are there as often. */
export function spokenAgain(
  speech: Uint8Array,
  times: number,
  most = Number.POSITIVE_INFINITY,
): Promise<Uint8Array> {
  return repeatSpeech(speech, times, most, false);
}

async function repeatSpeech(
  speech: Uint8Array,
  times: number,
  most: number,
  isOnce: boolean,
): Promise<Uint8Array> {
  const packets = (await packetsOf(speech)).slice(0, most);
  const data = Buffer.concat(packets);
  const sizes = new Array(times).fill(packets.map(({ length }) => length)).flat();
  const build = (dataAt: number) =>
    movie([
      box('stts', u32(0, 1, sizes.length, 960)),
      box('stsc', u32(0, 1, 1, packets.length, 1)),
      box('stsz', u32(0, 0, sizes.length), u32(...sizes)),
      box(
        'stco',
        u32(0, times),
        u32(...Array.from({ length: times }, (_, at) => dataAt + (isOnce ? 0 : at * data.length))),
      ),
    ]);
  const dataAt = FILE_TYPE.length + build(0).length + 8;
  const stored = new Array<Buffer>(isOnce ? 1 : times).fill(data);
  return Buffer.concat([FILE_TYPE, build(dataAt), box('mdat', ...stored)]);
}

async function packetsOf(speech: Uint8Array): Promise<Uint8Array[]> {
  const input = new Input({ source: new BufferSource(speech), formats: [MP4] });
  const track = await input.getPrimaryAudioTrack();
  if (track === null) throw new Error('no audio');
  const packets: Uint8Array[] = [];
  for await (const { data } of new EncodedPacketSink(track).packets()) packets.push(data);
  input.dispose();
  return packets;
}
