import {
  BufferSource,
  Input,
  type InputAudioTrack,
  Logging,
  LogLevel,
  MATROSKA,
  MP4,
  OGG,
  PCM_AUDIO_CODECS,
  QTFF,
  UnsupportedInputFormatError,
  WAVE,
  WEBM,
} from 'mediabunny';
import { msToSamples, SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import { ApiError } from '../core/api-error.ts';
import { createAdtsHeads, decodeByFfmpeg, type Ffmpeg } from './decode-by-ffmpeg.ts';
import { decodeFlacFile, decodeFlacPackets, isFlac } from './decode-flac.ts';
import { decodeMp3Frames, isMp3, mp3FramesIn } from './decode-mp3.ts';
import { decodeOpus } from './decode-opus.ts';
import { createMonoSink, decodePcm, type MonoSink } from './decode-pcm.ts';
import { cpuBudgetMs } from './decode-protocol.ts';
import {
  corruptedAudio,
  createByteAccount,
  createPacketReader,
  createSampleCollector,
  type MendedFile,
  type SampleCollector,
  type SpeechAudio,
  unsupportedAudio,
} from './decoded-audio.ts';
import { mendOgg } from './mend-ogg.ts';
import { isWave, mendWave } from './mend-wave.ts';
import { mendWebm } from './mend-webm.ts';
import { claimsTooMuch, isMp4CutShort, withTablesFirst } from './mp4-counts.ts';

/** The beginnings of files that are not read here, with the name ffmpeg has for them. */
const BEGINNINGS: readonly (readonly [RegExp, string, string?])[] = [
  [/^ID3|^\xff[\xe2-\xe7\xf2-\xf7\xfa-\xff]/, 'an MPEG audio file', 'mp3'],
  [/^\xff[\xf0\xf1\xf8\xf9]/, 'a bare AAC file', 'aac'],
  [/^ADIF/, 'a bare AAC file'],
  [/^FORM.{4}AIF[FC]/s, 'an AIFF file', 'aiff'],
  [/^#!AMR/, 'an AMR file', 'amr'],
  [/^caff/, 'a CAF file', 'caf'],
  [/^\.snd/, 'an AU file', 'au'],
  [/^riff/, 'a Wave64 file', 'w64'],
  [/^RIFF.{4}AVI /s, 'an AVI file', 'avi'],
  [/^0&\xb2u/, 'a Windows Media file', 'asf'],
  [/^wvpk/, 'a WavPack file', 'wv'],
  [/^MAC /, "a Monkey's Audio file"],
  [/^FLV/, 'a Flash file', 'flv'],
  [/^G.{187}G/s, 'an MPEG transport stream', 'mpegts'],
];

/** The beginning of the first packet of a stream in Ogg. */
const OGG_STREAMS: readonly (readonly [string, string])[] = [
  ['OpusHead', 'Opus'],
  ['\x01vorbis', 'Vorbis'],
  ['\x7fFLAC', 'FLAC'],
  ['fLaC', 'FLAC'],
  ['Speex   ', 'Speex'],
];

/** As the demuxer calls codecs, where people call them otherwise. */
const CODECS: Readonly<Record<string, string>> = {
  aac: 'AAC',
  mp3: 'MP3',
  vorbis: 'Vorbis',
  flac: 'FLAC',
  ac3: 'AC-3',
  eac3: 'E-AC-3',
  dts: 'DTS',
  alac: 'ALAC',
  samr: 'AMR',
  sawb: 'AMR',
  A_AC3: 'AC-3',
};

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');

/** The kind of a file, by its beginning; null for an unknown one. */
function kindOfFile(file: Uint8Array) {
  const beginning = textOf(file.subarray(0, 200));
  const found = BEGINNINGS.find(([pattern]) => pattern.test(beginning));
  return found === undefined ? null : { name: found[1], ffmpegFormat: found[2] ?? null };
}

/** A codec for people, by the demuxer's name or, where that has none, by the container's own. */
function nameOfCodec(codec: string | null, internal: unknown): string | null {
  if (codec !== null) return CODECS[codec] ?? codec;
  if (typeof internal !== 'string') return null;
  return CODECS[internal] ?? (/^[\w/ .-]{1,32}$/.test(internal) ? internal.trim() : null);
}

/** The codec of an Ogg file without Opus; null when there is Opus in it, or nothing is known. */
function otherCodecInOgg(file: Uint8Array): string | null {
  const names: string[] = [];
  // The streams of a file begin one page each, before all else.
  for (let at = 0; textOf(file.subarray(at, at + 4)) === 'OggS'; ) {
    const isFirst = ((file[at + 5] ?? 0) & 2) !== 0;
    if (!isFirst) break;
    const segments = file[at + 26] ?? 0;
    const start = at + 27 + segments;
    const sizes = file.subarray(at + 27, start);
    const beginning = textOf(file.subarray(start, start + 8));
    names.push(OGG_STREAMS.find(([magic]) => beginning.startsWith(magic))?.[1] ?? '');
    at = start + sizes.reduce((sum, size) => sum + size, 0);
  }
  if (names.includes('Opus')) return null;
  return names.find((name) => name !== '') ?? null;
}

/** No playlists among them: those would make the server fetch addresses a client names. */
const FORMATS = [MP4, QTFF, WEBM, MATROSKA, WAVE, OGG];

// It would print details of clients' files to the console.
Logging.level = LogLevel.Silent;

/** The means of decoding one file. */
type DecodeMeans = {
  /** A program for what is not decoded here; null where there is none. @default null */
  readonly ffmpegPath?: string | null;
  /** Called with the number of samples decoded so far. @default nothing */
  readonly onProgress?: (samples: number) => void;
};

/** One file on its way through the decoders. */
type Work = {
  readonly file: Uint8Array;
  readonly ffmpeg: Ffmpeg | null;
  readonly collector: SampleCollector;
  readonly sink: MonoSink;
};

/**
 * Decodes a file to 16 kHz mono, whatever its name or declared type. A header without audio gives
 * no samples. Throws `audio_unsupported` (415), `audio_corrupted` (422) or `audio_too_long` (413).
 * On a damaged file it may never end, or take all memory: `decoder-pool.ts` sees to that.
 */
export async function decodeAudio(
  file: Uint8Array,
  maxAudioMs: number,
  { ffmpegPath = null, onProgress }: DecodeMeans = {},
): Promise<SpeechAudio> {
  const maxSamples = msToSamples(maxAudioMs);
  const collector = createSampleCollector(maxSamples, onProgress);
  const sink = createMonoSink(collector);
  const cpuLimitS = Math.ceil(cpuBudgetMs(file.length, maxSamples) / 1_000);
  const ffmpeg = ffmpegPath === null ? null : { path: ffmpegPath, cpuLimitS };
  try {
    const complete = await decodeAsWhatItIs({ file, ffmpeg, collector, sink });
    if (collector.length === 0 && !complete) throw corruptedAudio();
    return { samples: collector.finish(), complete };
  } finally {
    sink.dispose();
  }
}

/** Says whether all could be read. */
async function decodeAsWhatItIs(work: Work): Promise<boolean> {
  const { file, sink } = work;
  if (isFlac(file)) return hearing(work, () => decodeFlacFile(file, sink));
  const isContainer = isWave(file) || isMp4(file) || CONTAINERS.has(textOf(file.subarray(0, 4)));
  if (!isContainer && isMp3(file)) {
    const { frames, toSkip, isWhole } = mp3FramesIn(file);
    return hearing(work, async () => {
      await decodeMp3Frames(frames, sink, toSkip);
      return isWhole;
    });
  }
  return textOf(file.subarray(0, 4)) === 'OggS' ? decodeOgg(work) : decodeContainer(work);
}

/** The recordings of an Ogg file, one after the other. Throws when none of them can be heard. */
async function decodeOgg(work: Work): Promise<boolean> {
  let isAllRead = true;
  let problem: unknown;
  for (const { file, isWhole } of mendOgg(work.file)) {
    const sink = createMonoSink(work.collector);
    try {
      const isRead = await decodeContainer({ ...work, file, sink });
      isAllRead &&= isRead && isWhole;
    } catch (error) {
      if (error instanceof ApiError && error.code === 'audio_too_long') throw error;
      problem ??= error;
      isAllRead = false;
    } finally {
      sink.dispose();
    }
  }
  if (problem !== undefined && work.collector.length === 0) throw problem;
  return isAllRead;
}

/** An installed ffmpeg decodes the formats that no decoder here knows. */
async function decodeContainer(work: Work): Promise<boolean> {
  const { file, ffmpeg, collector } = work;
  try {
    return await decodeDemuxed(work);
  } catch (error) {
    const isUnknown = error instanceof ApiError && error.code === 'audio_unsupported';
    const format = isUnknown ? ffmpegFormatOf(file) : null;
    if (ffmpeg === null || format === null) throw error;
    return hearing(work, () =>
      decodeByFfmpeg(ffmpeg, format, [withTablesFirst(file)], collector),
    ).catch((second: unknown) => {
      const isTooLong = second instanceof ApiError && second.code === 'audio_too_long';
      throw isTooLong ? second : error;
    });
  }
}

function ffmpegFormatOf(file: Uint8Array): string | null {
  if (isWave(file)) return 'wav';
  if (isMp4(file)) return 'mov';
  return CONTAINERS.get(textOf(file.subarray(0, 4))) ?? kindOfFile(file)?.ffmpegFormat ?? null;
}

const EBML = '\x1aE\xdf\xa3';

/** Containers by their first bytes, as ffmpeg calls them. */
const CONTAINERS: ReadonlyMap<string, string> = new Map([
  ['OggS', 'ogg'],
  [EBML, 'matroska'],
]);

async function decodeDemuxed(work: Work): Promise<boolean> {
  const { file } = work;
  if (claimsTooMuch(file)) throw corruptedAudio(new Error('it claims more samples than bytes'));
  const mended = mend(file);
  const input = new Input({ source: new BufferSource(mended.file), formats: FORMATS });
  try {
    const track = await openTrack(input, file);
    const decode = await chooseDecoder(track, work);
    const isAllRead = await hearing(work, decode);
    return isAllRead && mended.isWhole;
  } finally {
    input.dispose();
  }
}

/** Has all be found that is in the file, and says whether it goes on to its end. */
function mend(file: Uint8Array): MendedFile {
  if (isWave(file)) return mendWave(file);
  if (textOf(file.subarray(0, 4)) === EBML) return mendWebm(file);
  return { file, isWhole: !isMp4(file) || !isMp4CutShort(file) };
}

/** By the name of its first box. */
function isMp4(file: Uint8Array): boolean {
  const name = textOf(file.subarray(4, 8));
  return ['ftyp', 'styp', 'moov', 'moof', 'mdat', 'free', 'skip', 'wide'].includes(name);
}

/** The first track with sound, whichever is marked as the main one. */
async function openTrack(input: Input, file: Uint8Array): Promise<InputAudioTrack> {
  let track: InputAudioTrack | undefined;
  try {
    await input.getFormat();
    [track] = await input.getAudioTracks();
  } catch (error) {
    if (error instanceof UnsupportedInputFormatError) {
      throw unsupportedAudio(`This is ${kindOfFile(file)?.name ?? 'no audio file known here'}.`);
    }
    throw corruptedAudio(error);
  }
  if (track !== undefined) return track;
  const codec = otherCodecInOgg(file);
  throw codec === null ? corruptedAudio() : unsupportedAudio(`This file holds ${codec}.`);
}

/** Runs `decode`, which says whether it could read all, and judges what it left. */
async function hearing({ collector, sink }: Work, decode: Decode): Promise<boolean> {
  let isAllRead: boolean;
  try {
    isAllRead = await decode();
  } catch (error) {
    if (error instanceof ApiError) throw error;
    sink.finish();
    // The container broke off or is damaged: everything up to there is still somebody's speech.
    if (collector.length > 0) return false;
    throw corruptedAudio(error);
  }
  sink.finish();
  return isAllRead;
}

/** Decodes what can be decoded; says whether that is all of it. */
type Decode = () => Promise<boolean>;

async function chooseDecoder(track: InputAudioTrack, work: Work): Promise<Decode> {
  const { file, ffmpeg, collector, sink } = work;
  const codec = await track.getCodec();
  const account = createByteAccount(file.length);
  const reader = createPacketReader(track, account);
  const describe = async () => toBytes((await track.getDecoderConfig())?.description);

  if (codec !== null && (PCM_AUDIO_CODECS as readonly string[]).includes(codec)) {
    return async () => {
      await decodePcm(track, account, sink);
      return true;
    };
  }
  const ofPackets = (decode: (description: Uint8Array) => Promise<boolean>) => async () => {
    const isAllRead = await decode(await describe());
    return (await reader.isAtEnd()) && isAllRead;
  };
  async function* bytes(wrap = (packet: Uint8Array) => packet): AsyncGenerator<Uint8Array> {
    for await (const { data } of reader.packets()) yield wrap(data);
  }
  if (codec === 'opus') {
    return ofPackets((description) => decodeOpus(reader.packets, description, collector));
  }
  if (codec === 'flac') {
    return ofPackets((description) => decodeFlacPackets(description, bytes(), sink));
  }
  if (codec === 'mp3') {
    return ofPackets(async () => {
      await decodeMp3Frames(bytes(), sink);
      return true;
    });
  }
  if (codec === 'aac' && ffmpeg !== null) {
    return ofPackets(async (description) => {
      const first = await track.getFirstTimestamp();
      const toSkip = Math.max(0, Math.round(-first * SAMPLE_RATE_HZ));
      const adts = bytes(createAdtsHeads(description));
      return decodeByFfmpeg(ffmpeg, 'aac', adts, collector, toSkip);
    });
  }
  if ((codec === 'ac3' || codec === 'eac3') && ffmpeg !== null) {
    return ofPackets(() => decodeByFfmpeg(ffmpeg, codec, bytes(), collector));
  }
  const name = nameOfCodec(codec, track.internalCodecId) ?? 'another codec';
  throw unsupportedAudio(`This file holds ${name}.`);
}

/** Codec descriptions come as any kind of buffer. */
function toBytes(description: unknown): Uint8Array {
  if (ArrayBuffer.isView(description)) {
    return new Uint8Array(description.buffer, description.byteOffset, description.byteLength);
  }
  return description instanceof ArrayBuffer ? new Uint8Array(description) : new Uint8Array(0);
}
