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
import { msToSamples } from '../../src/core/audio/audio-format.ts';
import { ApiError } from '../core/api-error.ts';
import { decodeOpus } from './decode-opus.ts';
import { decodePcm } from './decode-pcm.ts';
import {
  type ByteAccount,
  corruptedAudio,
  createByteAccount,
  createSampleCollector,
  type MendedFile,
  type SampleCollector,
  type SpeechAudio,
  unsupportedAudio,
} from './decoded-audio.ts';
import { isWave, mendWave } from './mend-wave.ts';
import { mendWebm } from './mend-webm.ts';
import { claimsTooMuch, isMp4CutShort } from './mp4-counts.ts';

/** The beginnings of files that are not read here. */
const BEGINNINGS: readonly (readonly [RegExp, string])[] = [
  [/^ID3|^\xff[\xe2-\xe7\xf2-\xf7\xfa-\xff]/, 'an MP3 file'],
  [/^\xff[\xf0\xf1\xf8\xf9]|^ADIF/, 'a bare AAC file'],
  [/^fLaC/, 'a FLAC file'],
  [/^FORM.{4}AIF[FC]/s, 'an AIFF file'],
  [/^#!AMR/, 'an AMR file'],
  [/^caff/, 'a CAF file'],
  [/^\.snd/, 'an AU file'],
  [/^riff/, 'a Wave64 file'],
  [/^RIFF.{4}AVI /s, 'an AVI file'],
  [/^0&\xb2u/, 'a Windows Media file'],
  [/^wvpk/, 'a WavPack file'],
  [/^MAC /, "a Monkey's Audio file"],
  [/^FLV/, 'a Flash file'],
  [/^G.{187}G/s, 'an MPEG transport stream'],
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
function nameOfFile(file: Uint8Array): string | null {
  const beginning = textOf(file.subarray(0, 200));
  return BEGINNINGS.find(([pattern]) => pattern.test(beginning))?.[1] ?? null;
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

/**
 * Decodes a file to 16 kHz mono, whatever its name or declared type. A header without audio gives
 * no samples. Throws `audio_unsupported` (415), `audio_corrupted` (422) or `audio_too_long` (413).
 * On a damaged file it may never end, or take all memory: `decoder-pool.ts` sees to that.
 * `onProgress` is told how many samples there are by now.
 */
export async function decodeAudio(
  file: Uint8Array,
  maxAudioMs: number,
  onProgress: (samples: number) => void = () => undefined,
): Promise<SpeechAudio> {
  if (claimsTooMuch(file)) throw corruptedAudio(new Error('it claims more samples than bytes'));
  const mended = mend(file);
  const input = new Input({ source: new BufferSource(mended.file), formats: FORMATS });
  try {
    const track = await openTrack(input, file);
    const collector = createSampleCollector(msToSamples(maxAudioMs), onProgress);
    const account = createByteAccount(file.length);
    const isAllRead = await decodeTrack(track, account, collector);
    const complete = isAllRead && mended.isWhole;
    if (collector.length === 0 && !complete) throw corruptedAudio();
    return { samples: collector.finish(), complete };
  } finally {
    input.dispose();
  }
}

/** Has all be found that is in the file, and says whether it goes on to its end. */
function mend(file: Uint8Array): MendedFile {
  if (isWave(file)) return mendWave(file);
  if (Buffer.from(file.subarray(0, 4)).equals(MATROSKA_BEGINNING)) return mendWebm(file);
  return { file, isWhole: !isMp4(file) || !isMp4CutShort(file) };
}

const MATROSKA_BEGINNING = Buffer.from([0x1a, 0x45, 0xdf, 0xa3]);

/** By the name of its first box. */
function isMp4(file: Uint8Array): boolean {
  const name = Buffer.from(file.subarray(4, 8)).toString('latin1');
  return ['ftyp', 'styp', 'moov', 'moof', 'mdat', 'free', 'skip', 'wide'].includes(name);
}

async function openTrack(input: Input, file: Uint8Array): Promise<InputAudioTrack> {
  let track: InputAudioTrack | null;
  try {
    await input.getFormat();
    track = await input.getPrimaryAudioTrack();
  } catch (error) {
    if (error instanceof UnsupportedInputFormatError) {
      throw unsupportedAudio(`This is ${nameOfFile(file) ?? 'no audio file known here'}.`);
    }
    throw corruptedAudio(error);
  }
  if (track !== null) return track;
  const codec = otherCodecInOgg(file);
  throw codec === null ? corruptedAudio() : unsupportedAudio(`This file holds ${codec}.`);
}

/** Decodes what can be decoded; says whether that is all of it. */
async function decodeTrack(
  track: InputAudioTrack,
  account: ByteAccount,
  collector: SampleCollector,
): Promise<boolean> {
  const codec = await track.getCodec();
  const decode = chooseDecoder(track, codec, account);
  try {
    return await decode(collector);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    // The container broke off or is damaged: everything up to there is still somebody's speech.
    if (collector.length > 0) return false;
    throw corruptedAudio(error);
  }
}

type Decode = (collector: SampleCollector) => Promise<boolean>;

function chooseDecoder(track: InputAudioTrack, codec: string | null, account: ByteAccount): Decode {
  if (codec === 'opus') {
    return async (collector) => {
      const config = await track.getDecoderConfig();
      const head = toBytes(config?.description);
      return (await decodeOpus(track, head, account, collector)).allPacketsRead;
    };
  }
  if (codec !== null && (PCM_AUDIO_CODECS as readonly string[]).includes(codec)) {
    return async (collector) => {
      await decodePcm(track, account, collector);
      return true;
    };
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
