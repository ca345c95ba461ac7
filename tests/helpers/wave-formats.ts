import { makeSamples } from './make-samples.ts';

/** The format of a test's wave file. */
export type WaveStyle = {
  readonly rateHz: number;
  /** Integers of 8 to 32 bits, or floats. */
  readonly kind: 'u8' | 's16' | 's24' | 's32' | 'f32' | 'f64';
  readonly channels: number;
  /** With the extensible `fmt ` chunk that sound editors write for 24 bits. */
  readonly isExtensible?: boolean;
  /** Leaves the sizes open, as a program does that writes to a pipe. */
  readonly isPiped?: boolean;
  /** Puts a chunk of odd length that nobody knows in front of the audio. */
  readonly hasStrangeChunk?: boolean;
};

const BYTES = { u8: 1, s16: 2, s24: 3, s32: 4, f32: 4, f64: 8 } as const;

/** Writes the same samples, -1..1, to every channel. */
export function styledWave(samples: Float32Array, style: WaveStyle): Uint8Array {
  const { kind, channels, rateHz, isExtensible = false, isPiped = false } = style;
  const bytes = BYTES[kind];
  const tag = kind.startsWith('f') ? 3 : 1;
  const format = Buffer.alloc(isExtensible ? 40 : 16);
  format.writeUInt16LE(isExtensible ? 0xfffe : tag, 0);
  format.writeUInt16LE(channels, 2);
  format.writeUInt32LE(rateHz, 4);
  format.writeUInt32LE(rateHz * channels * bytes, 8);
  format.writeUInt16LE(channels * bytes, 12);
  format.writeUInt16LE(bytes * 8, 14);
  if (isExtensible) {
    format.writeUInt16LE(22, 16);
    format.writeUInt16LE(bytes * 8, 18);
    format.writeUInt16LE(tag, 24);
    Buffer.from('000000001000800000aa00389b71', 'hex').copy(format, 26);
  }
  const data = Buffer.alloc(samples.length * channels * bytes);
  samples.forEach((sample, frame) => {
    for (let c = 0; c < channels; c++) write(data, (frame * channels + c) * bytes, sample, kind);
  });
  const strange = style.hasStrangeChunk ? [chunk('junk', Buffer.from('odd'))] : [];
  const body = Buffer.concat([
    Buffer.from('WAVE'),
    chunk('fmt ', format),
    ...strange,
    chunk('data', data, isPiped ? 0xffff_ffff : data.length),
  ]);
  return chunk('RIFF', body, isPiped ? 0xffff_ffff : body.length);
}

function chunk(name: string, content: Buffer, declaredBytes = content.length): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, 0, 'ascii');
  head.writeUInt32LE(declaredBytes, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}

function write(data: Buffer, at: number, sample: number, kind: WaveStyle['kind']): void {
  const scaled = (bits: number) => Math.round(sample * (2 ** (bits - 1) - 1));
  switch (kind) {
    case 'u8':
      data.writeUInt8(scaled(8) + 128, at);
      break;
    case 's16':
      data.writeInt16LE(scaled(16), at);
      break;
    case 's24':
      data.writeIntLE(scaled(24), at, 3);
      break;
    case 's32':
      data.writeInt32LE(scaled(32), at);
      break;
    case 'f32':
      data.writeFloatLE(sample, at);
      break;
    case 'f64':
      data.writeDoubleLE(sample, at);
      break;
  }
}

/** Samples at one rate as another, by a windowed sinc over 32 zero crossings. */
export function atRate(samples: Float32Array, fromHz: number, toHz: number): Float32Array {
  const cutoff = Math.min(1, toHz / fromHz) * 0.95;
  const reach = Math.ceil(16 / cutoff);
  // The phases repeat: their weights are kept.
  const weights = new Map<number, Float64Array>();
  return makeSamples(Math.round((samples.length * toHz) / fromHz), (n) => {
    const phase = (n * fromHz) % toHz;
    const weight = weights.get(phase) ?? sincOf(phase / toHz, cutoff, reach);
    weights.set(phase, weight);
    const first = (n * fromHz - phase) / toHz - reach + 1;
    let sum = 0;
    for (let tap = 0; tap < weight.length; tap++) {
      sum += (samples[first + tap] ?? 0) * (weight[tap] ?? 0);
    }
    return sum;
  });
}

/** The weights of samples around a point `past` the middle one, 0..1 of a sample. */
function sincOf(past: number, cutoff: number, reach: number): Float64Array {
  return Float64Array.from({ length: 2 * reach }, (_, tap) => {
    const x = past + reach - 1 - tap;
    const sinc = x === 0 ? 1 : Math.sin(Math.PI * cutoff * x) / (Math.PI * cutoff * x);
    return cutoff * sinc * (0.5 + 0.5 * Math.cos((Math.PI * x) / reach));
  });
}
