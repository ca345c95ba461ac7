/** A file that is not a wave file we can read; the message says why, after "it" or "its". */
export class WaveError extends Error {
  override readonly name = 'WaveError';
}

/** `fmt ` tags (Microsoft, mmreg.h). */
const PCM = 1;
const FLOAT = 3;
/** The real tag stands in the first two bytes of the sub-format's GUID. */
const EXTENSIBLE = 0xfffe;
const SUB_FORMAT_OFFSET = 24;
const PLAIN_FORMAT_BYTES = 16;

/** The format of a wave file's samples. */
type WaveFormat = {
  readonly channels: number;
  readonly rateHz: number;
  /** One sample of one channel. */
  readonly sampleBytes: number;
  /** A sample at a byte of the file, as -1..1. */
  readonly read: (view: DataView, at: number) => number;
};

type Reader = WaveFormat['read'];

/** 8 bits are unsigned; wider integers are signed; all little-endian. */
const INTEGERS: Readonly<Record<number, Reader>> = {
  8: (view, at) => (view.getUint8(at) - 128) / 2 ** 7,
  16: (view, at) => view.getInt16(at, true) / 2 ** 15,
  24: (view, at) => (view.getInt8(at + 2) * 2 ** 16 + view.getUint16(at, true)) / 2 ** 23,
  32: (view, at) => view.getInt32(at, true) / 2 ** 31,
};

const FLOATS: Readonly<Record<number, Reader>> = {
  32: (view, at) => view.getFloat32(at, true),
  64: (view, at) => view.getFloat64(at, true),
};

/** Reads a `fmt ` chunk's content. Throws a WaveError for a kind of audio that is not read here. */
function readWaveFormat(chunk: DataView): WaveFormat {
  if (chunk.byteLength < PLAIN_FORMAT_BYTES) throw new WaveError('its fmt chunk is too short');
  const tag = formatTag(chunk);
  const channels = chunk.getUint16(2, true);
  const rateHz = chunk.getUint32(4, true);
  const bits = chunk.getUint16(14, true);
  const read = tag === PCM ? INTEGERS[bits] : tag === FLOAT ? FLOATS[bits] : undefined;
  if (!read) {
    throw new WaveError(`its audio is of format ${tag} with ${bits} bits, not PCM or float`);
  }
  if (channels === 0) throw new WaveError('it has no channels');
  if (chunk.getUint16(12, true) !== (channels * bits) / 8) {
    throw new WaveError('its fmt chunk contradicts itself about the size of a sample');
  }
  return { channels, rateHz, sampleBytes: bits / 8, read };
}

function formatTag(chunk: DataView): number {
  const tag = chunk.getUint16(0, true);
  const isExtensible = tag === EXTENSIBLE && chunk.byteLength >= SUB_FORMAT_OFFSET + 2;
  return isExtensible ? chunk.getUint16(SUB_FORMAT_OFFSET, true) : tag;
}

const RIFF_HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;

/** The audio of a wave file: each channel as -1..1, at the file's own rate. */
export type WaveAudio = {
  readonly rateHz: number;
  readonly channels: readonly Float32Array[];
};

/**
 * Reads a wave file: PCM of 8, 16, 24 or 32 bits or float of 32 or 64, any number of channels, also
 * in the extensible form. A length that is not known (programs that write to a pipe leave 0 or all
 * ones) or goes beyond the end of the file means all that is there.
 *
 * Throws a WaveError for anything else, and for a file without audio.
 */
export function readWave(file: Uint8Array): WaveAudio {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.length < RIFF_HEADER_BYTES || nameAt(view, 0) !== 'RIFF' || nameAt(view, 8) !== 'WAVE') {
    throw new WaveError('it is not a WAV file');
  }
  let format: WaveFormat | null = null;
  for (let at = RIFF_HEADER_BYTES; at + CHUNK_HEADER_BYTES <= view.byteLength; ) {
    const name = nameAt(view, at);
    const declared = view.getUint32(at + 4, true);
    const start = at + CHUNK_HEADER_BYTES;
    const left = view.byteLength - start;
    if (name === 'fmt ') {
      format = readWaveFormat(sub(view, start, Math.min(declared, left)));
    } else if (name === 'data') {
      if (!format) throw new WaveError('its audio comes before its format');
      const bytes = isUnknown(declared, view) ? left : Math.min(declared, left);
      return { rateHz: format.rateHz, channels: readChannels(sub(view, start, bytes), format) };
    }
    at = start + declared + (declared % 2);
  }
  throw new WaveError('it holds no audio');
}

/** A length of 0 is the truth when the header as a whole has been filled in. */
function isUnknown(declaredBytes: number, view: DataView): boolean {
  if (declaredBytes === 0xffff_ffff) return true;
  const riffBytes = view.getUint32(4, true);
  return declaredBytes === 0 && (riffBytes === 0 || riffBytes === 0xffff_ffff);
}

function readChannels(data: DataView, format: WaveFormat): Float32Array[] {
  const { channels, sampleBytes, read } = format;
  const frameBytes = channels * sampleBytes;
  const frames = Math.floor(data.byteLength / frameBytes);
  if (frames === 0) throw new WaveError('it holds no audio');
  return Array.from({ length: channels }, (_, channel) =>
    Float32Array.from({ length: frames }, (_, frame) =>
      read(data, frame * frameBytes + channel * sampleBytes),
    ),
  );
}

function sub(view: DataView, start: number, bytes: number): DataView {
  return new DataView(view.buffer, view.byteOffset + start, bytes);
}

function nameAt(view: DataView, at: number): string {
  return String.fromCharCode(...[0, 1, 2, 3].map((i) => view.getUint8(at + i)));
}
