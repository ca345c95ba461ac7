/** How kinds of files begin that are not read here. */
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

/** How the first packet of a stream in Ogg begins. */
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

/** What kind of file this is, by its beginning; null for one that nobody here knows. */
export function nameOfFile(file: Uint8Array): string | null {
  const beginning = textOf(file.subarray(0, 200));
  return BEGINNINGS.find(([pattern]) => pattern.test(beginning))?.[1] ?? null;
}

/** A codec for people, by the demuxer's name or, where that has none, by the container's own. */
export function nameOfCodec(codec: string | null, internal: unknown): string | null {
  if (codec !== null) return CODECS[codec] ?? codec;
  if (typeof internal !== 'string') return null;
  return CODECS[internal] ?? (/^[\w/ .-]{1,32}$/.test(internal) ? internal.trim() : null);
}

/** The codec of an Ogg file without Opus; null when there is Opus in it, or nothing is known. */
export function otherCodecInOgg(file: Uint8Array): string | null {
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
