import { corruptedAudio, type MendedFile, unsupportedAudio } from './decoded-audio.ts';

const HEAD_BYTES = 8;
const FORMAT_BYTES = 16;

/**
 * From here on a size is no size: writers that cannot go back put something large there (2^31 and
 * 2^32 with and without a head or a block less, two thousand million). A recording of that length
 * could not be sent. Neither is one a size that is not smaller than that of the whole file beside it.
 */
const LEAST_PLACEHOLDER = 1_000_000_000;

/** The chunks that writers put behind the sound. */
const KNOWN: ReadonlySet<string> = new Set([
  ...[
    'LIST',
    'id3 ',
    'ID3 ',
    'bext',
    'iXML',
    '_PMX',
    'cue ',
    'fact',
    'JUNK',
    'junk',
    'PAD ',
    'RIFF',
  ],
]);

const PCM = 1;
const FLOAT = 3;
const A_LAW = 6;
const MU_LAW = 7;
const EXTENSIBLE = 0xfffe;

/** The other formats that a wave file may hold, by number. */
const NAMES: ReadonlyMap<number, string> = new Map([
  [0x02, 'ADPCM'],
  [0x11, 'ADPCM'],
  [0x17, 'ADPCM'],
  [0x20, 'ADPCM'],
  [0x22, 'TrueSpeech'],
  [0x31, 'GSM 6.10'],
  [0x40, 'G.721'],
  [0x42, 'G.723.1'],
  [0x45, 'G.726'],
  [0x50, 'MPEG audio'],
  [0x55, 'MP3'],
  [0x64, 'G.726'],
  [0x83, 'G.729'],
  [0xff, 'AAC'],
  [0x160, 'Windows Media Audio'],
  [0x161, 'Windows Media Audio'],
  [0x162, 'Windows Media Audio'],
  [0x1610, 'AAC'],
  [0xa109, 'Speex'],
  [0xf1ac, 'FLAC'],
]);

/** True if it begins as a wave file, of up to 4 GB or of more. */
export function isWave(file: Uint8Array): boolean {
  return (
    ['RIFF', 'RIFX', 'RF64', 'BW64'].includes(textAt(file, 0, 4)) && textAt(file, 8, 4) === 'WAVE'
  );
}

/**
 * Gives a wave file the head that belongs to the sound there is. Those that are written as a stream
 * have any size in theirs, since nobody knew it yet. Throws `audio_unsupported` for what is no PCM,
 * and `audio_corrupted` without a format or sound.
 */
export function mendWave(file: Uint8Array): MendedFile {
  const order = textAt(file, 0, 4) === 'RIFX' ? BIG : LITTLE;
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let format: Uint8Array | null = null;
  let longBytes: bigint | null = null;
  for (const { name, start, bytes } of chunksIn(view, 12, order)) {
    if (name === 'data' && format !== null) {
      const isPlaceholder =
        bytes >= LEAST_PLACEHOLDER || bytes >= view.getUint32(4, order.isLittle);
      const declared = isPlaceholder ? sizeOf(longBytes) : bytes;
      const { end, isWhole } = soundEnd(view, start, declared, order);
      return { file: wave(file.subarray(start, end), format, order), isWhole };
    }
    if (start + FORMAT_BYTES > file.length) break;
    if (name === 'ds64') longBytes = view.getBigUint64(start + 8, true);
    if (name === 'fmt ') format = plainFormat(view, start, bytes, order);
  }
  throw corruptedAudio(new Error('a wave file without a format or sound'));
}

/** The bytes of sound that a file of over 4 GB declares; null when nobody knew. */
function sizeOf(longBytes: bigint | null): number | null {
  const isKnown = longBytes !== null && longBytes <= Number.MAX_SAFE_INTEGER;
  return isKnown ? Number(longBytes) : null;
}

/** Where the sound ends that is said to have `declared` bytes; null: nobody said. */
function soundEnd(view: DataView, start: number, declared: number | null, order: ByteOrder) {
  const there = view.byteLength - start;
  if (declared === null) return { end: view.byteLength, isWhole: true };
  if (declared > there) {
    // A pad byte that is missing at the end is common, and some count the head with the sound.
    const harmless = [there + 1, view.byteLength, view.byteLength - HEAD_BYTES];
    return { end: view.byteLength, isWhole: harmless.includes(declared) };
  }
  const behind = start + declared;
  for (const from of [behind + (declared % 2), behind]) {
    const names = trailersFrom(view, from, order);
    // Sound in a second chunk, or in a file that was put behind this one, is read by nobody.
    if (names !== null) return { end: behind, isWhole: !names.has('data') && !names.has('RIFF') };
  }
  // The size was written before all of the sound was.
  return { end: view.byteLength, isWhole: true };
}

/** The names of the chunks from here to the end; null where there are none, but sound. */
function trailersFrom(view: DataView, from: number, order: ByteOrder): ReadonlySet<string> | null {
  const names = new Set<string>();
  let end = from;
  for (const { name, start, bytes } of chunksIn(view, from, order)) {
    if (!/^[\w ]{4}$/.test(name)) return null;
    names.add(name);
    end = start + bytes;
  }
  const [first] = names;
  // A chunk that everybody knows may be cut off; another one has to fit.
  const isFitting = Math.abs(view.byteLength - end) <= HEAD_BYTES;
  return first === undefined || isFitting || KNOWN.has(first) ? names : null;
}

type ByteOrder = { readonly name: 'RIFF' | 'RIFX'; readonly isLittle: boolean };
const LITTLE: ByteOrder = { name: 'RIFF', isLittle: true };
const BIG: ByteOrder = { name: 'RIFX', isLittle: false };

type Chunk = { readonly name: string; readonly start: number; readonly bytes: number };

function* chunksIn(view: DataView, from: number, { isLittle }: ByteOrder): Generator<Chunk> {
  for (let at = from; at + HEAD_BYTES <= view.byteLength; ) {
    const bytes = view.getUint32(at + 4, isLittle);
    const start = at + HEAD_BYTES;
    yield { name: textAt(bytesOf(view), at, 4), start, bytes };
    at = start + bytes + (bytes % 2);
  }
}

/** The format in its short form, which says all that is needed. */
function plainFormat(view: DataView, start: number, bytes: number, order: ByteOrder): Uint8Array {
  const { isLittle } = order;
  const at = (offset: number) => view.getUint16(start + offset, isLittle);
  const isExtended = at(0) === EXTENSIBLE && bytes >= 40 && start + 40 <= view.byteLength;
  const kind = isExtended ? at(24) : at(0);
  const [channels, rateHz, block] = [at(2), view.getUint32(start + 4, isLittle), at(12)];
  const isKnown = [PCM, FLOAT, A_LAW, MU_LAW].includes(kind);
  if (!isKnown) throw unsupportedAudio(`This wave file holds ${NAMES.get(kind) ?? 'no PCM'}.`);
  const bits = kind === PCM || kind === FLOAT ? at(14) : 8;
  // Samples of 12, 20 or 24 bits stand at the upper end of two, three or four bytes.
  const width = Math.max(
    Math.ceil(bits / 8),
    Number.isInteger(block / channels) ? block / channels : 0,
  );
  const widths = kind === PCM ? [1, 2, 3, 4] : kind === FLOAT ? [4, 8] : [1];
  if (!widths.includes(width))
    throw unsupportedAudio(`This wave file holds samples of ${bits} bits.`);
  const plain = new DataView(new ArrayBuffer(FORMAT_BYTES));
  const blockBytes = channels * width;
  plain.setUint16(0, kind, isLittle);
  plain.setUint16(2, channels, isLittle);
  plain.setUint32(4, rateHz, isLittle);
  plain.setUint32(8, (rateHz * blockBytes) % 2 ** 32, isLittle);
  plain.setUint16(12, blockBytes, isLittle);
  plain.setUint16(14, 8 * width, isLittle);
  return bytesOf(plain);
}

function wave(sound: Uint8Array, format: Uint8Array, { name, isLittle }: ByteOrder): Uint8Array {
  const file = Buffer.alloc(12 + HEAD_BYTES + FORMAT_BYTES + HEAD_BYTES + sound.length);
  const write = (value: number, at: number) =>
    isLittle ? file.writeUInt32LE(value, at) : file.writeUInt32BE(value, at);
  file.write(name, 0, 'latin1');
  write(file.length - HEAD_BYTES, 4);
  file.write('WAVEfmt ', 8, 'latin1');
  write(FORMAT_BYTES, 16);
  file.set(format, 20);
  file.write('data', 36, 'latin1');
  write(sound.length, 40);
  file.set(sound, 44);
  return file;
}

const bytesOf = (view: DataView) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);

function textAt(file: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...file.subarray(at, at + length));
}
