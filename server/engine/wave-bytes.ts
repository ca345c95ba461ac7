import { SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';

const HEADER_BYTES = 44;
const BYTES_PER_SAMPLE = 2;
const FULL_SCALE = 32_767;

/** A wave file (RIFF, 16-bit PCM, 16 kHz mono) of `samples` (-1..1): every engine takes it. */
export function waveBytes(samples: Float32Array): Uint8Array<ArrayBuffer> {
  const dataBytes = samples.length * BYTES_PER_SAMPLE;
  const file = new Uint8Array(HEADER_BYTES + dataBytes);
  const view = new DataView(file.buffer);
  const text = (at: number, letters: string) => {
    for (let index = 0; index < letters.length; index++) {
      view.setUint8(at + index, letters.charCodeAt(index));
    }
  };
  text(0, 'RIFF');
  view.setUint32(4, HEADER_BYTES - 8 + dataBytes, true);
  text(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, SAMPLE_RATE_HZ, true);
  view.setUint32(28, SAMPLE_RATE_HZ * BYTES_PER_SAMPLE, true);
  view.setUint16(32, BYTES_PER_SAMPLE, true);
  view.setUint16(34, 8 * BYTES_PER_SAMPLE, true);
  text(36, 'data');
  view.setUint32(40, dataBytes, true);
  samples.forEach((sample, index) => {
    const value = Math.round(Math.max(-1, Math.min(1, sample)) * FULL_SCALE);
    view.setInt16(HEADER_BYTES + index * BYTES_PER_SAMPLE, value, true);
  });
  return file;
}
