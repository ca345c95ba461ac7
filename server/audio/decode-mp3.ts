import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { webAssembly } from '../core/system.ts';
import type { MonoSink } from './decode-pcm.ts';

/** The exports of minimp3's build that are used; addresses are byte offsets into its memory. */
type Minimp3 = {
  readonly memory: { readonly buffer: ArrayBuffer };
  decoder_init(): void;
  decoder_set_mp3_data_size(bytes: number): void;
  decoder_mp3_data_offset(): number;
  decoder_pcm_data_offset(): number;
  decoder_decode(seconds: number): void;
  decode_results_num_samples(): number;
  decode_results_num_channels(): number;
  decode_results_sampling_rate(): number;
};

/** One frame holds at most 1152 samples for each of two channels, of two bytes. */
const MOST_PCM_BYTES = 2 * 2 * 1_152;

/** More than any frame has. */
const MOST_FRAME_BYTES = 4_096;

let compiled: object | null = null;

/** Starts minimp3. It keeps what a frame leaves for the next, so each file has its own. */
function startMinimp3(): Minimp3 {
  compiled ??= new webAssembly.Module(
    readFileSync(createRequire(import.meta.url).resolve('minimp3-wasm/dist/decoder.opt.wasm')),
  );
  const wasm = new webAssembly.Instance(compiled).exports as Minimp3;
  wasm.decoder_init();
  // Grows the memory once, so that what is written behind a frame has room.
  wasm.decoder_set_mp3_data_size(MOST_FRAME_BYTES + 2 * MOST_PCM_BYTES);
  return wasm;
}

/**
 * Decodes MP3 frames, one after the other, into `sink`, but for the first `toSkip` samples of each
 * channel. A frame that cannot be decoded is silent for its length. Throws when one makes the
 * decoder fail.
 */
export async function decodeMp3Frames(
  frames: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  sink: MonoSink,
  toSkip = 0,
): Promise<void> {
  let left = toSkip;
  const wasm = startMinimp3();
  for await (const frame of frames) {
    if (frame.length > MOST_FRAME_BYTES) throw new Error('a frame longer than any');
    wasm.decoder_set_mp3_data_size(frame.length);
    const memory = new Uint8Array(wasm.memory.buffer);
    memory.set(frame, wasm.decoder_mp3_data_offset());
    // It counts the samples of a frame before it knows that it cannot decode it.
    const at = wasm.decoder_pcm_data_offset();
    memory.fill(0, at, at + MOST_PCM_BYTES);
    wasm.decoder_decode(-1);
    const channels = wasm.decode_results_num_channels();
    const count = wasm.decode_results_num_samples() / channels;
    if (!(count > 0 && count <= 1_152 && channels <= 2)) continue;
    const pcm = new DataView(wasm.memory.buffer, at);
    const skipped = Math.min(left, count);
    left -= skipped;
    const planes = planesOf(pcm, channels, count).map((plane) => plane.subarray(skipped));
    await sink.add(planes, wasm.decode_results_sampling_rate());
  }
}

/** The samples of each channel, of interleaved 16 bits that need not be aligned. */
function planesOf(pcm: DataView, channels: number, count: number): Float32Array[] {
  return Array.from({ length: channels }, (_, channel) => {
    const plane = new Float32Array(count);
    for (let index = 0; index < count; index++) {
      plane[index] = pcm.getInt16(2 * (index * channels + channel), true) / 32_768;
    }
    return plane;
  });
}

/** Bit rates of layer III in kbit/s by their index: of MPEG-1, and of MPEG-2 and 2.5. */
const KBITS_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const KBITS_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const RATES_HZ = [44_100, 48_000, 32_000];

/** A frame's header, as far as one needs it to find the next. */
type Mp3Header = {
  readonly bytes: number;
  readonly rateHz: number;
  /** Bytes of side information, behind which an encoder's own notes stand. */
  readonly sideBytes: number;
};

/** The header of a frame of layer III at `at`; null where there is none. */
function mp3HeaderAt(file: Uint8Array, at: number): Mp3Header | null {
  const [first = 0, second = 0, third = 0, fourth = 0] = file.subarray(at, at + 4);
  const version = (second >> 3) & 3;
  const isLayer3 = first === 0xff && (second & 0xe6) === 0xe2 && version !== 1;
  const [kbitsIndex, rateIndex] = [third >> 4, (third >> 2) & 3];
  if (!isLayer3 || kbitsIndex === 0 || kbitsIndex === 15 || rateIndex === 3) return null;
  const isMpeg1 = version === 3;
  const kbits = (isMpeg1 ? KBITS_1 : KBITS_2)[kbitsIndex] ?? 0;
  const rateHz = (RATES_HZ[rateIndex] ?? 0) / (isMpeg1 ? 1 : version === 2 ? 2 : 4);
  const isMono = fourth >> 6 === 3;
  return {
    bytes: Math.floor(((isMpeg1 ? 144_000 : 72_000) * kbits) / rateHz) + ((third >> 1) & 1),
    rateHz,
    sideBytes: isMpeg1 ? (isMono ? 17 : 32) : isMono ? 9 : 17,
  };
}

/** True if a frame begins at `at` that ends with the file, or where the next one begins. */
function isFrameAt(file: Uint8Array, at: number): boolean {
  const header = mp3HeaderAt(file, at);
  if (header === null) return false;
  const next = at + header.bytes;
  if (next >= file.length) return true;
  return mp3HeaderAt(file, next)?.rateHz === header.rateHz || isTagAt(file, next);
}

/** Tags of all kinds begin with one of these. */
const TAGS = ['TAG', 'ID3', 'APETAGEX', 'LYRICSBEGIN', '3DI'];

function isTagAt(file: Uint8Array, at: number): boolean {
  const text = textAt(file, at, 11);
  return TAGS.some((tag) => text.startsWith(tag));
}

const textAt = (file: Uint8Array, at: number, length: number) =>
  Buffer.from(file.subarray(at, at + length)).toString('latin1');

/** The sound begins behind the tags: pictures in these look like frames. */
function startOfSound(file: Uint8Array): number {
  let at = 0;
  while (textAt(file, at, 3) === 'ID3' && at + 10 <= file.length) {
    const [a = 0, b = 0, c = 0, d = 0] = file.subarray(at + 6, at + 10);
    const hasFooter = ((file[at + 5] ?? 0) & 0x10) !== 0;
    at += 10 + ((a << 21) | (b << 14) | (c << 7) | d) + (hasFooter ? 10 : 0);
  }
  // Some writers reserve room with zeros.
  while (at < file.length && file[at] === 0) at++;
  return at;
}

/** Bytes that may come before the first frame: the end of one that was cut, or padding of a tag. */
const MOST_JUNK_AT_START = 4_096;

/** Frames in a row that are no chance. */
const FRAMES_IN_A_ROW = 3;

/** True if a file begins as MP3 does, behind its tags or the end of a frame that was cut. */
export function isMp3(file: Uint8Array): boolean {
  let at = findFrame(file, startOfSound(file), MOST_JUNK_AT_START);
  for (let count = 0; at !== null && count < FRAMES_IN_A_ROW && at < file.length; count++) {
    const header = mp3HeaderAt(file, at);
    if (header === null) return isTagAt(file, at);
    at += header.bytes;
  }
  return at !== null;
}

function findFrame(file: Uint8Array, from: number, within: number): number | null {
  const last = Math.min(file.length - 4, from + within);
  for (let at = from; at <= last; at++) {
    if (file[at] === 0xff && isFrameAt(file, at)) return at;
  }
  return null;
}

/** The frames of a file. */
type Mp3Frames = {
  readonly frames: readonly Uint8Array[];
  /** Samples at the beginning, at the file's own rate, that an encoder put before the sound. */
  readonly toSkip: number;
  /** True if they are all that were written. */
  readonly isWhole: boolean;
};

/**
 * Finds the frames of an MP3 file. `isWhole` is false where something else stands between them, the
 * last is cut, or an encoder wrote down more than there are.
 */
export function mp3FramesIn(file: Uint8Array): Mp3Frames {
  const frames: Uint8Array[] = [];
  let isWhole = true;
  let end = -1;
  let declared: EncoderNotes = { frames: 0, delay: 0 };
  for (let at = startOfSound(file); at < file.length; ) {
    const header = mp3HeaderAt(file, at);
    if (header !== null && at + header.bytes > file.length) {
      isWhole = false;
      break;
    }
    // Behind a whole frame its head is enough, whatever comes next.
    if (header !== null && (at === end || isFrameAt(file, at))) {
      const frame = file.subarray(at, at + header.bytes);
      const notes = frames.length === 0 ? notesIn(frame, header) : null;
      if (notes === null) frames.push(frame);
      else declared = notes;
      at += header.bytes;
      end = at;
      continue;
    }
    const next = findFrame(file, at + 1, file.length);
    const isEnd = isTagAt(file, at) || file.subarray(at).every((byte) => byte === 0);
    if (next === null) {
      isWhole &&= isEnd;
      break;
    }
    // Files put one behind the other have tags between them.
    isWhole &&= isTagAt(file, at);
    at = next;
  }
  // Some count their own frame with the others.
  isWhole &&= frames.length + 1 >= declared.frames;
  return { frames, toSkip: declared.delay, isWhole };
}

/** The words of an encoder about its file; 0 is not said. */
type EncoderNotes = { readonly frames: number; readonly delay: number };

/** A decoder's own delay, which comes on top of an encoder's. */
const DECODER_DELAY = 529;

/** An encoder's own frame at the beginning, without sound; null for another one. */
function notesIn(frame: Uint8Array, { sideBytes }: Mp3Header): EncoderNotes | null {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const at = 4 + sideBytes;
  const number = (offset: number) => (offset + 4 <= frame.length ? view.getUint32(offset) : 0);
  if (['Xing', 'Info'].includes(textAt(frame, at, 4))) {
    const hasFrames = (number(at + 4) & 1) !== 0;
    const isByLame = ['LAME', 'Lavf', 'Lavc'].includes(textAt(frame, at + 120, 4));
    const delay = isByLame ? (number(at + 141) >>> 20) + DECODER_DELAY : 0;
    return { frames: hasFrames ? number(at + 8) : 0, delay };
  }
  return textAt(frame, 36, 4) === 'VBRI' ? { frames: number(36 + 14), delay: 0 } : null;
}
