/**
 * One element of a container file: a box of MP4, an element of WebM, a page of Ogg, a chunk of WAV.
 */
export type FileElement = {
  /** As it stands in the file, in latin1. */
  name: string;
  /** The fields before its children; its whole content where it has none. */
  head: Buffer;
  children: FileElement[];
  /** The length written in its header; null: the true one. */
  claimedBytes: number | null;
};

/** Parser and writer for files of one kind. */
export type FileFormat = {
  readonly kind: 'mp4' | 'webm' | 'ogg' | 'wav' | 'mp3' | 'flac' | 'aac';
  /** The byte order of its numbers. */
  readonly isLittleEndian: boolean;
  /** Names that a reader of the format knows. */
  readonly names: readonly string[];
  parse(file: Uint8Array): FileElement[];
  /** Gives every element its true length, or the one it claims. */
  write(elements: readonly FileElement[]): Buffer;
};

/** A whole element. */
export function element(name: string, head: Buffer, children: FileElement[] = []): FileElement {
  return { name, head: Buffer.from(head), children, claimedBytes: null };
}

/** The same again, to be changed apart. */
export function copyOf(original: FileElement): FileElement {
  return {
    ...original,
    head: Buffer.from(original.head),
    children: original.children.map(copyOf),
  };
}

/** A number as so many bytes; -1 is all bits set. */
export function numberBytes(value: number, bytes: number, isLittleEndian: boolean): Buffer {
  const eight = Buffer.alloc(8);
  eight.writeBigUInt64BE(BigInt.asUintN(64, BigInt(value)));
  const some = eight.subarray(8 - bytes);
  return isLittleEndian ? Buffer.from(some).reverse() : some;
}

/** Boxes with boxes in them, and the bytes of fields before those. */
const MP4_CONTAINERS: ReadonlyMap<string, number> = new Map([
  ...['moov', 'trak', 'mdia', 'minf', 'stbl', 'dinf', 'edts', 'mvex', 'moof', 'traf', 'mfra'].map(
    (name) => [name, 0] as const,
  ),
  ['udta', 0],
  ['meta', 4],
  ['stsd', 8],
  ['Opus', 28],
  ['mp4a', 28],
]);

/** Tables whose counts and lengths a reader goes by, beside the containers. */
const TABLES =
  'stts ctts stsc stsz stz2 stco co64 stss trun tfhd tfdt trex sidx elst tfra mfro saiz saio sbgp sgpd pssh mdhd mvhd tkhd hdlr dOps esds wave free skip uuid mdat'.split(
    ' ',
  );

const LARGEST = 0xffff_ffff;

/** MP4 and QuickTime. */
export const MP4_FORMAT: FileFormat = {
  kind: 'mp4',
  isLittleEndian: false,
  names: [...MP4_CONTAINERS.keys(), ...TABLES],
  parse: (file) => boxesIn(Buffer.from(file)),
  write: (elements) => Buffer.concat(elements.map(boxOf)),
};

function boxesIn(bytes: Buffer): FileElement[] {
  const boxes: FileElement[] = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const end = length < 8 ? bytes.length : Math.min(bytes.length, at + length);
    const name = bytes.toString('latin1', at + 4, at + 8);
    const fields = MP4_CONTAINERS.get(name);
    const inner = bytes.subarray(at + 8, end);
    boxes.push(
      fields === undefined
        ? element(name, inner)
        : element(name, inner.subarray(0, fields), boxesIn(inner.subarray(fields))),
    );
    at = end;
  }
  return boxes;
}

function boxOf({ name, head, children, claimedBytes }: FileElement): Buffer {
  const inner = Buffer.concat([head, ...children.map(boxOf)]);
  const length = claimedBytes ?? inner.length + 8;
  const isLong = length > LARGEST || length < 0;
  return Buffer.concat([
    numberBytes(isLong ? 1 : length, 4, false),
    Buffer.from(name, 'latin1'),
    ...(isLong ? [numberBytes(length, 8, false)] : []),
    inner,
  ]);
}

/** Version, flags, granule, serial and number of the page; the checksum is made on writing. */
const FIELDS_BYTES = 18;
const HEADER_BYTES = 27;
const MOST_SEGMENTS = 255;

/**
 * Ogg: pages with the segments of packets as children. A page claims how many, a segment how long.
 */
export const OGG_FORMAT: FileFormat = {
  kind: 'ogg',
  isLittleEndian: true,
  names: ['OggS', 'segment'],
  parse(file) {
    const bytes = Buffer.from(file);
    const pages: FileElement[] = [];
    for (let at = 0; at + HEADER_BYTES <= bytes.length; ) {
      const tableAt = at + HEADER_BYTES;
      let end = tableAt + (bytes[at + 26] ?? 0);
      const segments: FileElement[] = [];
      for (const length of bytes.subarray(tableAt, end)) {
        segments.push(element('segment', bytes.subarray(end, end + length)));
        end += length;
      }
      pages.push(element('OggS', bytes.subarray(at + 4, at + 4 + FIELDS_BYTES), segments));
      at = end;
    }
    return pages;
  },
  write: (elements) => Buffer.concat(elements.map(pageOf)),
};

/** A moved element is written as a page, too. */
function pageOf({ name, head, children, claimedBytes }: FileElement): Buffer {
  const segments = children.slice(0, MOST_SEGMENTS);
  const fields = Buffer.alloc(FIELDS_BYTES);
  head.copy(fields);
  const page = Buffer.concat([
    Buffer.from(name.padEnd(4).slice(0, 4), 'latin1'),
    fields,
    Buffer.alloc(4),
    Buffer.from([claimedBytes ?? segments.length]),
    Buffer.from(segments.map((one) => one.claimedBytes ?? Math.min(255, one.head.length))),
    ...segments.map((one) => Buffer.concat([one.head, ...one.children.map(pageOf)])),
  ]);
  page.writeUInt32LE(checksum(page), 22);
  return page;
}

/** Of Ogg: CRC-32 with polynomial 0x04c11db7, neither reflected nor inverted. */
function checksum(page: Buffer): number {
  let sum = 0;
  for (const byte of page) sum = ((sum << 8) ^ (TABLE[((sum >>> 24) ^ byte) & 255] ?? 0)) >>> 0;
  return sum;
}

const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index << 24;
  for (let bit = 0; bit < 8; bit++)
    value = value & 0x8000_0000 ? (value << 1) ^ 0x04c1_1db7 : value << 1;
  return value >>> 0;
});

/** Chunks with chunks in them, after the four letters that say what they are. */
const WAV_CONTAINERS = new Set(['RIFF', 'RIFX', 'RF64', 'LIST']);

/** WAV. */
export const WAV_FORMAT: FileFormat = {
  kind: 'wav',
  isLittleEndian: true,
  names: [
    ...WAV_CONTAINERS,
    'fmt ',
    'data',
    'ds64',
    'fact',
    'cue ',
    'smpl',
    'bext',
    'junk',
    'INFO',
  ],
  parse: (file) => chunksIn(Buffer.from(file)),
  write: (elements) => Buffer.concat(elements.map(chunkOf)),
};

function chunksIn(bytes: Buffer): FileElement[] {
  const chunks: FileElement[] = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    const name = bytes.toString('latin1', at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    const inner = bytes.subarray(at + 8, at + 8 + length);
    chunks.push(
      WAV_CONTAINERS.has(name)
        ? element(name, inner.subarray(0, 4), chunksIn(inner.subarray(4)))
        : element(name, inner),
    );
    at += 8 + length + (length % 2);
  }
  return chunks;
}

function chunkOf({ name, head, children, claimedBytes }: FileElement): Buffer {
  const inner = Buffer.concat([head, ...children.map(chunkOf)]);
  const length = claimedBytes ?? inner.length;
  return Buffer.concat([
    Buffer.from(name.padEnd(4).slice(0, 4), 'latin1'),
    numberBytes(length, 4, true),
    inner,
    Buffer.alloc(inner.length % 2),
  ]);
}

const latin = (hex: string) => Buffer.from(hex, 'hex').toString('latin1');

/** Elements with elements in them, from EBML and Segment down to blocks, cues and tags. */
const WEBM_CONTAINERS = new Set(
  '1a45dfa3 18538067 114d9b74 4dbb 1549a966 1654ae6b ae e1 e0 1f43b675 a0 1c53bb6b bb b7 1254c367 7373 63c0 67c8 6d80 6240 5034'
    .split(' ')
    .map(latin),
);

/** Void, CRC, blocks, lacing, times, sizes, codec, numbers and so on. */
const OTHERS =
  'ec bf a3 a1 af e7 ab a7 9b fb 63a2 86 d7 73c5 83 b5 9f 6264 2ad7b1 4489 f1 f7 b3 53ab 53ac 4254 4255 5031 1941a469 1043a770'
    .split(' ')
    .map(latin);

/** A length that says it is not known. */
const UNKNOWN = Buffer.from('01ffffffffffffff', 'hex');
const SHORT = 2 ** 28 - 1;

/** WebM and Matroska. */
export const WEBM_FORMAT: FileFormat = {
  kind: 'webm',
  isLittleEndian: false,
  names: [...WEBM_CONTAINERS, ...OTHERS],
  parse: (file) => elementsIn(Buffer.from(file)),
  write: (elements) => Buffer.concat(elements.map(bytesOf)),
};

/** The length in bytes of a number of variable length, by its first byte. */
const widthOf = (first: number) => Math.clz32(first) - 23;

function elementsIn(bytes: Buffer): FileElement[] {
  const found: FileElement[] = [];
  for (let at = 0; at < bytes.length; ) {
    const idEnd = at + widthOf(bytes[at] ?? 0);
    const sizeWidth = widthOf(bytes[idEnd] ?? 0);
    const start = idEnd + sizeWidth;
    if (start > bytes.length || sizeWidth > 8) break;
    const size = bytes.subarray(idEnd, start);
    const length = Number(BigInt(`0x${size.toString('hex')}`) - (1n << BigInt(7 * sizeWidth)));
    const end = size.equals(UNKNOWN) ? bytes.length : Math.min(bytes.length, start + length);
    const name = bytes.toString('latin1', at, idEnd);
    const inner = bytes.subarray(start, end);
    found.push(
      WEBM_CONTAINERS.has(name)
        ? element(name, Buffer.alloc(0), elementsIn(inner))
        : element(name, inner),
    );
    at = end;
  }
  return found;
}

function bytesOf({ name, head, children, claimedBytes }: FileElement): Buffer {
  const inner = Buffer.concat([head, ...children.map(bytesOf)]);
  return Buffer.concat([Buffer.from(name, 'latin1'), sizeOf(claimedBytes ?? inner.length), inner]);
}

function sizeOf(length: number): Buffer {
  if (length >= 0 && length < SHORT) return numberBytes(length + 2 ** 28, 4, false);
  const eight = Buffer.from(numberBytes(length, 8, false));
  eight[0] = 1;
  return eight;
}
