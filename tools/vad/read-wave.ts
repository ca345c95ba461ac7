import { WaveError } from './wave-error.ts';
import { readWaveFormat, type WaveFormat } from './wave-format.ts';

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
