import { DikteraError } from '../errors.ts';
import { SAMPLE_RATE_HZ } from './audio-format.ts';
import { samplesOf, toPcm16Value } from './samples.ts';

const HEADER_BYTES = 44;
const BYTES_PER_SAMPLE = 2;
const PCM_FORMAT = 1;

/** 16 kHz mono samples as a WAV file, 16-bit PCM; what is beyond -1..1 is clipped. */
export function writeWav(samples: Float32Array): ArrayBuffer {
  return joinPcm([writePcm(samples)]);
}

/** The same without the file's header. */
export function writePcm(samples: Float32Array): ArrayBuffer {
  const view = new DataView(new ArrayBuffer(samples.length * BYTES_PER_SAMPLE));
  for (const [index, sample] of samples.entries()) {
    view.setInt16(index * BYTES_PER_SAMPLE, toPcm16Value(sample), true);
  }
  return view.buffer;
}

/** A WAV file of what `writePcm` made, in order. */
export function joinPcm(parts: readonly ArrayBuffer[]): ArrayBuffer {
  const dataBytes = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const bytes = new ArrayBuffer(HEADER_BYTES + dataBytes);
  const view = new DataView(bytes);
  writeName(view, 0, 'RIFF');
  view.setUint32(4, HEADER_BYTES - 8 + dataBytes, true);
  writeName(view, 8, 'WAVE');
  writeName(view, 12, 'fmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, PCM_FORMAT, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, SAMPLE_RATE_HZ, true);
  view.setUint32(28, SAMPLE_RATE_HZ * BYTES_PER_SAMPLE, true);
  view.setUint16(32, BYTES_PER_SAMPLE, true);
  view.setUint16(34, 8 * BYTES_PER_SAMPLE, true);
  writeName(view, 36, 'data');
  view.setUint32(40, dataBytes, true);
  let offset = HEADER_BYTES;
  for (const part of parts) {
    new Uint8Array(bytes, offset).set(new Uint8Array(part));
    offset += part.byteLength;
  }
  return bytes;
}

/** The samples of a file made by `writeWav`. Throws `encoding-failed` for any other. */
export function readWav(bytes: ArrayBuffer): Float32Array {
  const view = new DataView(bytes);
  if (bytes.byteLength < HEADER_BYTES || view.getUint32(0) !== 0x52494646) {
    throw new DikteraError('encoding-failed', 'Not a WAV file of ours');
  }
  const count = Math.floor((bytes.byteLength - HEADER_BYTES) / BYTES_PER_SAMPLE);
  const pcm = Int16Array.from({ length: count }, (_, index) =>
    view.getInt16(HEADER_BYTES + index * BYTES_PER_SAMPLE, true),
  );
  return samplesOf([pcm]);
}

function writeName(view: DataView, offset: number, name: string): void {
  for (let index = 0; index < name.length; index += 1) {
    view.setUint8(offset + index, name.charCodeAt(index));
  }
}
