import { element, type FileElement, type FileFormat, numberBytes } from './formats.ts';

/** Bytes of frames of fixed heads that follow one another, and how their ends are found. */
function framesBy(bytes: Buffer, isHead: (at: number) => boolean): FileElement[] {
  const frames: FileElement[] = [];
  let from = 0;
  for (let at = 1; at <= bytes.length; at++) {
    if (at < bytes.length && !isHead(at)) continue;
    frames.push(element('frame', bytes.subarray(from, at)));
    from = at;
  }
  return frames;
}

const whole = (part: FileElement): Buffer =>
  Buffer.concat([part.head, ...part.children.map(whole)]);

/** ID3's length, of seven bits a byte. */
function tagOf(part: FileElement): Buffer {
  const inner = whole(part);
  const length = Math.abs(part.claimedBytes ?? inner.length);
  const size = [21, 14, 7, 0].map((shift) => Math.floor(length / 2 ** shift) & 0x7f);
  return Buffer.concat([Buffer.from('ID3\x04\0\0', 'latin1'), Buffer.from(size), inner]);
}

/** MP3: a tag, and frames one after the other. A frame that claims a length gets zeros up to it. */
export const MP3_FORMAT: FileFormat = {
  kind: 'mp3',
  isLittleEndian: false,
  names: ['ID3', 'frame', 'TAG'],
  parse(file) {
    const bytes = Buffer.from(file);
    const size = bytes.subarray(6, 10).reduce((sum, byte) => sum * 128 + byte, 0);
    const start = bytes.toString('latin1', 0, 3) === 'ID3' ? 10 + size : 0;
    const sound = bytes.subarray(start);
    const [first = 0, second = 0] = sound;
    const tag = start === 0 ? [] : [element('ID3', bytes.subarray(10, start))];
    return [...tag, ...framesBy(sound, (at) => sound[at] === first && sound[at + 1] === second)];
  },
  write: (elements) =>
    Buffer.concat(elements.map((part) => (part.name === 'ID3' ? tagOf(part) : padded(part)))),
};

const MOST_PADDING = 100_000;

function padded(part: FileElement): Buffer {
  const bytes = whole(part);
  const missing = Math.min(MOST_PADDING, (part.claimedBytes ?? 0) - bytes.length);
  return missing > 0 ? Buffer.concat([bytes, Buffer.alloc(missing)]) : bytes;
}

/** ADTS, which is AAC without a container, is written in the same way. */
export const ADTS_FORMAT: FileFormat = { ...MP3_FORMAT, kind: 'aac' };

/** Blocks of metadata by their numbers. */
const BLOCKS = ['0', '1', '2', '3', '4', '5', '6', '127'];

/** FLAC: blocks of metadata and frames, whose checksums are made right again on writing. */
export const FLAC_FORMAT: FileFormat = {
  kind: 'flac',
  isLittleEndian: false,
  names: [...BLOCKS, 'frame'],
  parse(file) {
    const bytes = Buffer.from(file);
    const parts: FileElement[] = [];
    let at = 4;
    for (let isLast = false; !isLast && at + 4 <= bytes.length; ) {
      const kind = bytes[at] ?? 0;
      isLast = kind >= 0x80;
      const end = at + 4 + bytes.readUIntBE(at + 1, 3);
      parts.push(element(String(kind & 0x7f), bytes.subarray(at + 4, end)));
      at = end;
    }
    const sound = bytes.subarray(at);
    return [...parts, ...framesBy(sound, (from) => isFrame(sound.subarray(from, from + 20)))];
  },
  write(elements) {
    const blocks = elements.filter(({ name }) => name !== 'frame');
    const frames = elements.filter(({ name }) => name === 'frame');
    return Buffer.concat([
      Buffer.from('fLaC'),
      ...blocks.map((block, index) => blockOf(block, index === blocks.length - 1)),
      ...frames.map(frameOf),
    ]);
  },
};

function blockOf(part: FileElement, isLast: boolean): Buffer {
  const inner = whole(part);
  const kind = (Number(part.name) & 0x7f) | (isLast ? 0x80 : 0);
  return Buffer.concat([
    Buffer.from([kind]),
    numberBytes(part.claimedBytes ?? inner.length, 3, false),
    inner,
  ]);
}

/** Bytes of a frame's head before its checksum, whatever is in it. */
function headLength([, , third = 0, , number = 0]: Buffer): number {
  const numberBytes = number < 0x80 ? 1 : Math.min(7, Math.clz32(~(number << 24)));
  const sizeBytes = third >> 4 === 6 ? 1 : third >> 4 === 7 ? 2 : 0;
  const rateBytes = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 2, 0][third & 15] ?? 0;
  return 4 + numberBytes + sizeBytes + rateBytes;
}

/** True if a frame begins here: its head has a checksum. */
function isFrame(frame: Buffer): boolean {
  if (frame[0] !== 0xff || ((frame[1] ?? 0) & 0xfe) !== 0xf8) return false;
  const length = headLength(frame);
  return crc(frame.subarray(0, length), 8, 0x07) === frame[length];
}

function frameOf(part: FileElement): Buffer {
  const frame = padded(part);
  const head = headLength(frame);
  if (frame.length < head + 3) return frame;
  frame[head] = crc(frame.subarray(0, head), 8, 0x07);
  frame.writeUInt16BE(crc(frame.subarray(0, -2), 16, 0x8005), frame.length - 2);
  return frame;
}

function crc(data: Uint8Array, bits: number, polynomial: number): number {
  let sum = 0;
  for (const byte of data) {
    sum ^= byte << (bits - 8);
    for (let bit = 0; bit < 8; bit++) {
      sum = (sum & (1 << (bits - 1))) === 0 ? sum << 1 : (sum << 1) ^ polynomial;
    }
    sum &= 2 ** bits - 1;
  }
  return sum;
}
