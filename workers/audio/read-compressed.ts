import { AudioSampleSink, BufferSource, Input, type InputAudioTrack, MP4, WEBM } from 'mediabunny';
import { SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import { concatSamples } from '../../src/core/audio/samples.ts';
import { DikteraError } from '../../src/core/errors.ts';

/** The samples of a WebM or MP4 file, mono at 16 kHz. */
export async function readCompressed(bytes: ArrayBuffer): Promise<Float32Array> {
  const input = new Input({ formats: [WEBM, MP4], source: new BufferSource(bytes) });
  try {
    const track = await input.getPrimaryAudioTrack();
    if (!track) throw new DikteraError('encoding-failed', 'The file has no audio');
    return await readTrack(track);
  } finally {
    input.dispose();
  }
}

async function readTrack(track: InputAudioTrack): Promise<Float32Array> {
  const parts: Float32Array[] = [];
  let rateHz = 0;
  for await (const sample of new AudioSampleSink(track).samples()) {
    rateHz = sample.sampleRate;
    const part = new Float32Array(sample.numberOfFrames);
    sample.copyTo(part, { planeIndex: 0, format: 'f32-planar' });
    sample.close();
    parts.push(part);
  }
  if (rateHz === 0) throw new DikteraError('encoding-failed', 'The file holds no sound');
  return resample(concatSamples(parts), rateHz);
}

/**
 * Zero crossings of the sinc on each side; what Opus decodes to holds nothing to fold back anyway.
 */
const ZERO_CROSSINGS = 8;

/** The pass band's end as a share of the lower Nyquist frequency; the rest is for the slope. */
const PASS_SHARE = 0.92;

/**
 * Mono samples at `fromHz` as 16 kHz, by a windowed sinc (Hann), one filter for each phase. For
 * what a decoder gives: Opus always decodes to 48 kHz. The sound stays where it is in time.
 */
export function resample(samples: Float32Array, fromHz: number): Float32Array {
  if (fromHz === SAMPLE_RATE_HZ) return samples;
  const divisor = greatestCommonDivisor(fromHz, SAMPLE_RATE_HZ);
  const step = fromHz / divisor;
  const phases = SAMPLE_RATE_HZ / divisor;
  const filters = Array.from({ length: phases }, (_, phase) => makeFilter(phase / phases, fromHz));
  const output = new Float32Array(Math.floor((samples.length * phases) / step));
  for (let index = 0; index < output.length; index += 1) {
    const position = index * step;
    const filter = filters[position % phases];
    if (filter) output[index] = filter(samples, Math.floor(position / phases));
  }
  return output;
}

/** The value at a place in the samples: a whole number and the filter's own fraction. */
type Filter = (samples: Float32Array, at: number) => number;

function makeFilter(fraction: number, fromHz: number): Filter {
  const cutoff = (Math.min(fromHz, SAMPLE_RATE_HZ) / fromHz) * PASS_SHARE;
  const reach = Math.ceil(ZERO_CROSSINGS / cutoff);
  const taps = Float64Array.from({ length: 2 * reach + 1 }, (_, index) => {
    const distance = index - reach - fraction;
    const hann = 0.5 * (1 + Math.cos((Math.PI * distance) / (reach + 1)));
    return cutoff * sinc(cutoff * distance) * hann;
  });
  return (samples, at) => {
    let value = 0;
    for (let index = 0; index < taps.length; index += 1) {
      value += (taps[index] ?? 0) * (samples[at + index - reach] ?? 0);
    }
    return value;
  };
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
