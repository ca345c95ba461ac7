import type { MonoSink } from './decode-pcm.ts';

/** A stream's own description (RFC 9639), as far as its frames leave something open. */
type StreamInfo = { readonly rateHz: number; readonly bits: number; readonly totalSamples: number };

/** A frame that cannot be read. */
class BadFrame extends Error {
  override readonly name: string = 'BadFrame';
}

/** Reads bits, the highest first. */
class BitReader {
  /** The place of the next bit. */
  at: number;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array, atByte: number) {
    this.#bytes = bytes;
    this.at = 8 * atByte;
  }

  /** The next 32 bits, with zeros behind the end. */
  #peek(): number {
    const byte = this.at >>> 3;
    const bit = this.at & 7;
    const b = this.#bytes;
    const high =
      ((b[byte] ?? 0) << 24) |
      ((b[byte + 1] ?? 0) << 16) |
      ((b[byte + 2] ?? 0) << 8) |
      (b[byte + 3] ?? 0);
    return bit === 0 ? high : (high << bit) | ((b[byte + 4] ?? 0) >>> (8 - bit));
  }

  #move(bits: number): void {
    this.at += bits;
    if (this.at > 8 * this.#bytes.length) throw new BadFrame('the frame is cut');
  }

  /** Up to 32 bits as a number from 0 on. */
  unsigned(bits: number): number {
    if (bits === 0) return 0;
    const value = this.#peek() >>> (32 - bits);
    this.#move(bits);
    return value;
  }

  /** Up to 33 bits, the first of them the sign. */
  signed(bits: number): number {
    if (bits === 0) return 0;
    if (bits > 32) {
      const sign = this.unsigned(1);
      return this.unsigned(32) - sign * 2 ** 32;
    }
    const value = this.#peek() >> (32 - bits);
    this.#move(bits);
    return value;
  }

  /** The zeros before the next one, which is taken too. */
  unary(): number {
    let zeros = 0;
    for (let window = this.#peek(); window === 0; window = this.#peek()) {
      zeros += 32;
      this.#move(32);
    }
    const more = Math.clz32(this.#peek());
    this.#move(more + 1);
    return zeros + more;
  }

  /** A number in Rice's code: what is left over is written in `bits`. */
  rice(bits: number): number {
    const window = this.#peek();
    const zeros = Math.clz32(window);
    let folded: number;
    if (zeros + 1 + bits <= 32) {
      folded = bits === 0 ? zeros : (zeros << bits) | ((window << (zeros + 1)) >>> (32 - bits));
      this.#move(zeros + 1 + bits);
    } else {
      folded = this.unary() * 2 ** bits + this.unsigned(bits);
      return folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
    }
    return (folded >>> 1) ^ -(folded & 1);
  }

  alignToByte(): void {
    this.#move(-this.at & 7);
  }
}

/** Block sizes and rates by the codes that stand for them; 0 is said elsewhere. */
const BLOCK_SIZES = [0, 192, 576, 1_152, 2_304, 4_608];
const RATES_HZ = [
  ...[0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000],
];
const BITS = [0, 8, 12, -1, 16, 20, 24, 32];

/** Codes of channels from here on say that one of two is written as a difference. */
const LEFT_SIDE = 8;
const SIDE_RIGHT = 9;
const MID_SIDE = 10;

type FrameHead = {
  readonly blockSize: number;
  readonly rateHz: number;
  readonly bits: number;
  readonly layout: number;
  readonly channels: number;
  /** The place of its first subframe. */
  readonly bodyAt: number;
};

/** The head of a frame at `at`; null where there is none, or it was damaged. */
function headAt(bytes: Uint8Array, at: number, info: StreamInfo): FrameHead | null {
  if (bytes[at] !== 0xff || ((bytes[at + 1] ?? 0) & 0xfe) !== 0xf8) return null;
  const [third = 0, fourth = 0, number = 0] = bytes.subarray(at + 2, at + 5);
  const [layout, bitsCode] = [fourth >> 4, (fourth >> 1) & 7];
  const numberBytes = number < 0x80 ? 1 : Math.clz32(~(number << 24));
  if (numberBytes > 7 || (fourth & 1) !== 0 || layout > MID_SIDE) return null;
  const next = { at: at + 4 + numberBytes };
  const blockSize = blockSizeOf(third >> 4, bytes, next);
  const rateHz = rateOf(third & 15, bytes, next) ?? info.rateHz;
  const bits = bitsCode === 0 ? info.bits : (BITS[bitsCode] ?? -1);
  if (next.at >= bytes.length || crc8(bytes, at, next.at) !== bytes[next.at]) return null;
  if (blockSize === 0 || rateHz <= 0 || bits < 4 || bits > 32) return null;
  const channels = layout < LEFT_SIDE ? layout + 1 : 2;
  return { blockSize, rateHz, bits, layout, channels, bodyAt: next.at + 1 };
}

type Place = { at: number };

function numberAt(bytes: Uint8Array, place: Place, count: number): number {
  let value = 0;
  for (let index = 0; index < count; index++) value = value * 256 + (bytes[place.at++] ?? 0);
  return value;
}

function blockSizeOf(code: number, bytes: Uint8Array, next: Place): number {
  if (code === 6 || code === 7) return numberAt(bytes, next, code - 5) + 1;
  return BLOCK_SIZES[code] ?? 2 ** code;
}

/** The rate by its code; null: as the stream says. */
function rateOf(code: number, bytes: Uint8Array, next: Place): number | null {
  if (code === 12) return numberAt(bytes, next, 1) * 1_000;
  if (code === 13) return numberAt(bytes, next, 2);
  if (code === 14) return numberAt(bytes, next, 2) * 10;
  return code === 0 ? null : (RATES_HZ[code] ?? -1);
}

/** Decodes the subframes; gives the samples of each channel and where the frame ends. */
function readFrame(bytes: Uint8Array, at: number, head: FrameHead) {
  const reader = new BitReader(bytes, head.bodyAt);
  const planes: Float64Array[] = [];
  for (let channel = 0; channel < head.channels; channel++) {
    const isSide =
      head.layout === SIDE_RIGHT
        ? channel === 0
        : (head.layout === LEFT_SIDE || head.layout === MID_SIDE) && channel === 1;
    planes.push(readSubframe(reader, head.blockSize, head.bits + (isSide ? 1 : 0)));
  }
  reader.alignToByte();
  const sumAt = reader.at / 8;
  const sum = reader.unsigned(16);
  if (crc16(bytes, at, sumAt) !== sum) throw new BadFrame('the checksum of a frame is wrong');
  joinStereo(planes, head.layout);
  const full = 2 ** (head.bits - 1);
  const channels = planes.map((plane) => Float32Array.from(plane, (value) => value / full));
  return { channels, end: sumAt + 2 };
}

function joinStereo([first, second]: readonly Float64Array[], layout: number): void {
  if (layout < LEFT_SIDE || first === undefined || second === undefined) return;
  for (let index = 0; index < first.length; index++) {
    const [a, b] = [first[index] ?? 0, second[index] ?? 0];
    if (layout === LEFT_SIDE) second[index] = a - b;
    else if (layout === SIDE_RIGHT) first[index] = a + b;
    else {
      const left = a + (b + Math.abs(b % 2)) / 2;
      first[index] = left;
      second[index] = left - b;
    }
  }
}

function readSubframe(reader: BitReader, blockSize: number, sampleBits: number): Float64Array {
  if (reader.unsigned(1) !== 0) throw new BadFrame('a subframe without its zero');
  const kind = reader.unsigned(6);
  const wasted = reader.unsigned(1) === 0 ? 0 : reader.unary() + 1;
  const bits = sampleBits - wasted;
  if (bits < 1) throw new BadFrame('a subframe of no bits');
  const samples = new Float64Array(blockSize);
  if (kind === 0) samples.fill(reader.signed(bits));
  else if (kind === 1) {
    for (let index = 0; index < blockSize; index++) samples[index] = reader.signed(bits);
  } else if (kind >= 8 && kind <= 12) {
    readPredicted(reader, samples, bits, FIXED[kind - 8] ?? [], 0);
  } else if (kind >= 32) readLinear(reader, samples, bits, kind - 31);
  else throw new BadFrame('a subframe of no known kind');
  return wasted === 0 ? samples : samples.map((value) => value * 2 ** wasted);
}

/** The predictors without coefficients of their own: the newest sample first. */
const FIXED = [[], [1], [2, -1], [3, -3, 1], [4, -6, 4, -1]];

function readLinear(reader: BitReader, samples: Float64Array, bits: number, order: number): void {
  if (order > samples.length) throw new BadFrame('more to begin with than samples');
  for (let index = 0; index < order; index++) samples[index] = reader.signed(bits);
  const precision = reader.unsigned(4) + 1;
  const shift = reader.signed(5);
  if (precision === 16 || shift < 0) throw new BadFrame('a predictor that cannot be');
  const coefficients = Array.from({ length: order }, () => reader.signed(precision));
  readResidual(reader, samples, order);
  predict(samples, coefficients, shift);
}

function readPredicted(
  reader: BitReader,
  samples: Float64Array,
  bits: number,
  coefficients: readonly number[],
  shift: number,
): void {
  const order = coefficients.length;
  if (order > samples.length) throw new BadFrame('more to begin with than samples');
  for (let index = 0; index < order; index++) samples[index] = reader.signed(bits);
  readResidual(reader, samples, order);
  predict(samples, coefficients, shift);
}

/** Adds to each sample what the ones before it foretell. */
function predict(samples: Float64Array, coefficients: readonly number[], shift: number): void {
  const order = coefficients.length;
  const newestFirst = Float64Array.from(coefficients);
  const scale = 2 ** -shift;
  for (let index = order; index < samples.length; index++) {
    let sum = 0;
    for (let back = 0; back < order; back++) {
      sum += (newestFirst[back] ?? 0) * (samples[index - 1 - back] ?? 0);
    }
    samples[index] = (samples[index] ?? 0) + Math.floor(sum * scale);
  }
}

function readResidual(reader: BitReader, samples: Float64Array, order: number): void {
  const method = reader.unsigned(2);
  if (method > 1) throw new BadFrame('a code of no known kind');
  const parameterBits = method === 0 ? 4 : 5;
  const plainCode = method === 0 ? 15 : 31;
  const partitionOrder = reader.unsigned(4);
  const size = samples.length / 2 ** partitionOrder;
  if (!Number.isInteger(size) || size < order) throw new BadFrame('parts that do not fit');
  for (let from = 0; from < samples.length; from += size) {
    const end = from + size;
    const parameter = reader.unsigned(parameterBits);
    if (parameter === plainCode) {
      const bits = reader.unsigned(5);
      for (let index = Math.max(from, order); index < end; index++)
        samples[index] = reader.signed(bits);
    } else {
      for (let index = Math.max(from, order); index < end; index++)
        samples[index] = reader.rice(parameter);
    }
  }
}

/**
 * Decodes FLAC frames into `sink`: one for each packet of a container. Gives whether all could be
 * read; one that cannot is left out.
 */
export async function decodeFlacPackets(
  description: Uint8Array,
  packets: AsyncIterable<Uint8Array>,
  sink: MonoSink,
): Promise<boolean> {
  const info = streamInfoIn(description);
  let isWhole = true;
  for await (const packet of packets) {
    const head = headAt(packet, 0, info);
    const frame = head === null ? null : tryFrame(packet, 0, head);
    if (head !== null && frame !== null) await sink.add(frame.channels, head.rateHz);
    else isWhole = false;
  }
  return isWhole;
}

/** Decodes a bare FLAC file into `sink`; gives whether it is all there and undamaged. */
export async function decodeFlacFile(file: Uint8Array, sink: MonoSink): Promise<boolean> {
  const start = startOfFlac(file);
  const info = streamInfoIn(file.subarray(start));
  const soundAt = metadataEnd(file, start);
  let isWhole = soundAt <= file.length;
  let samples = 0;
  let lastRateHz = info.rateHz;
  for (let at = soundAt; at < file.length; ) {
    const head = headAt(file, at, info);
    const frame = head === null ? null : tryFrame(file, at, head);
    if (head !== null && frame !== null) {
      await sink.add(frame.channels, head.rateHz);
      samples += head.blockSize;
      lastRateHz = head.rateHz;
      at = frame.end;
      continue;
    }
    const next = findHead(file, at + 1, info);
    isWhole &&= next === null && isEnd(file, at);
    if (next === null) break;
    at = next;
  }
  // Only the length tells that the end is missing, and streams have none.
  const isShort = info.totalSamples > samples && lastRateHz > 0;
  return isWhole && !isShort;
}

function tryFrame(bytes: Uint8Array, at: number, head: FrameHead) {
  try {
    return readFrame(bytes, at, head);
  } catch (error) {
    if (error instanceof BadFrame) return null;
    throw error;
  }
}

function findHead(file: Uint8Array, from: number, info: StreamInfo): number | null {
  for (let at = from; at + 6 <= file.length; at++) {
    if (file[at] === 0xff && headAt(file, at, info) !== null) return at;
  }
  return null;
}

/** A tag, or room that was reserved. */
function isEnd(file: Uint8Array, at: number): boolean {
  const text = Buffer.from(file.subarray(at, at + 8)).toString('latin1');
  return /^(TAG|ID3|APETAGEX)/.test(text) || file.subarray(at).every((byte) => byte === 0);
}

const MAGIC = 0x664c_6143;

/** Some taggers put an ID3 tag before it. */
function startOfFlac(file: Uint8Array): number {
  if (Buffer.from(file.subarray(0, 3)).toString('latin1') !== 'ID3') return 0;
  const [a = 0, b = 0, c = 0, d = 0] = file.subarray(6, 10);
  return 10 + ((a << 21) | (b << 14) | (c << 7) | d);
}

/** True if a file is FLAC without a container, behind a tag or not. */
export function isFlac(file: Uint8Array): boolean {
  const at = startOfFlac(file);
  return (
    at + 4 <= file.length && Buffer.from(file.buffer, file.byteOffset).readUInt32BE(at) === MAGIC
  );
}

/** The place of the first frame; behind the end of a file that was cut before it. */
function metadataEnd(file: Uint8Array, start: number): number {
  for (let at = start + 4; at + 4 <= file.length; ) {
    const [kind = 0, a = 0, b = 0, c = 0] = file.subarray(at, at + 4);
    at += 4 + ((a << 16) | (b << 8) | c);
    if ((kind & 0x80) !== 0) return at;
  }
  return file.length + 1;
}

/** Reads the stream's header; all zeros for a stream that begins with a frame instead. */
function streamInfoIn(bytes: Uint8Array): StreamInfo {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 26 || buffer.readUInt32BE(0) !== MAGIC) {
    return { rateHz: 0, bits: 0, totalSamples: 0 };
  }
  const packed = buffer.readBigUInt64BE(18);
  return {
    rateHz: Number(packed >> 44n),
    bits: Number((packed >> 36n) & 31n) + 1,
    totalSamples: Number(packed & 0xf_ffff_ffffn),
  };
}

const CRC8 = tableOf(8, 0x07);
const CRC16 = tableOf(16, 0x8005);

function tableOf(bits: number, polynomial: number): Uint16Array {
  const top = 2 ** (bits - 1);
  return Uint16Array.from({ length: 256 }, (_, byte) => {
    let value = byte << (bits - 8);
    for (let bit = 0; bit < 8; bit++)
      value = (value & top) === 0 ? value << 1 : (value << 1) ^ polynomial;
    return value & (2 ** bits - 1);
  });
}

function crc8(bytes: Uint8Array, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at++) sum = CRC8[sum ^ (bytes[at] ?? 0)] ?? 0;
  return sum;
}

function crc16(bytes: Uint8Array, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at++) {
    sum = ((sum << 8) & 0xffff) ^ (CRC16[(sum >> 8) ^ (bytes[at] ?? 0)] ?? 0);
  }
  return sum;
}
