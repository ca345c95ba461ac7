import { WaveError } from './wave-error.ts';

/** `fmt ` tags (Microsoft, mmreg.h). */
const PCM = 1;
const FLOAT = 3;
/** The real tag stands in the first two bytes of the sub-format's GUID. */
const EXTENSIBLE = 0xfffe;
const SUB_FORMAT_OFFSET = 24;
const PLAIN_FORMAT_BYTES = 16;

/** How the samples of a wave file are written. */
export type WaveFormat = {
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
export function readWaveFormat(chunk: DataView): WaveFormat {
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
