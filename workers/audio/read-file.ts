import { ALL_FORMATS, type AudioSample, AudioSampleSink, BlobSource, Input } from 'mediabunny';
import { SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import { findQuietPoint } from '../../src/core/audio/quiet-point.ts';
import { writeWav } from '../../src/core/audio/wav-file.ts';
import type { SoundPiece } from '../../src/platform/file-sound.ts';

/** Why a file gives no sound. */
export class UnreadableSound extends Error {
  readonly why: 'no-sound' | 'unreadable';

  /** Of the sound that cannot be read, where that is known. */
  readonly codec: string | null;

  constructor(why: UnreadableSound['why'], codec: string | null = null, cause?: unknown) {
    super(`The file cannot be read: ${why}`, { cause });
    this.why = why;
    this.codec = codec;
  }
}

/** A piece is as long as a person speaks of one thing, and its text is soon there to be seen. */
const PIECE_S = 30;
/** It is cut within its last third. */
const CUT_FROM_S = 20;
const QUIET_S = 0.2;

/** Quieter than any room with a person in it: nothing is asked about it. */
const SILENCE = 10 ** (-60 / 20);

/**
 * Opens the sound of an audio or video file: its first track that can be heard, by the browser's own
 * decoders. Little of it is in memory at any time. Rejects with `UnreadableSound`.
 */
export async function openSound(file: Blob) {
  const input = new Input({ formats: ALL_FORMATS, source: new BlobSource(file) });
  try {
    const track = await input.getPrimaryAudioTrack();
    if (!track) throw new UnreadableSound('no-sound');
    if (!(await track.canDecode())) throw new UnreadableSound('unreadable', track.codec);
    const durationMs = 1_000 * (await track.computeDuration());
    const sink = new AudioSampleSink(track);
    return {
      durationMs,
      /** In order, from that time on. Rejects with `UnreadableSound` where the file is damaged. */
      pieces: (fromMs: number) => inPieces(sink.samples(fromMs / 1_000), fromMs),
    };
  } catch (thrown) {
    input.dispose();
    throw unreadable(thrown);
  }
}

function unreadable(thrown: unknown): UnreadableSound {
  return thrown instanceof UnreadableSound
    ? thrown
    : new UnreadableSound('unreadable', null, thrown);
}

async function* inPieces(
  decoded: AsyncIterable<AudioSample>,
  fromMs: number,
): AsyncGenerator<SoundPiece, void> {
  let startMs = fromMs;
  let pending: Float32Array[] = [];
  let count = 0;
  let resample: ReturnType<typeof createResampler> | null = null;
  const take = (samples: number): SoundPiece => {
    const all = joined(pending, count);
    const rest = all.slice(samples);
    pending = [rest];
    count = rest.length;
    const from = startMs;
    startMs += (1_000 * samples) / SAMPLE_RATE_HZ;
    const taken = all.slice(0, samples);
    return { wav: isSound(taken) ? writeWav(taken) : null, startMs: from, endMs: startMs };
  };
  try {
    for await (const sample of decoded) {
      const { sampleRate, timestamp } = sample;
      // The first one may begin before: that much has been heard.
      const early = resample ? 0 : Math.round((fromMs / 1_000 - timestamp) * sampleRate);
      resample ??= createResampler(sampleRate);
      const block = resample(mono(sample).subarray(Math.max(0, early)));
      sample.close();
      pending.push(block);
      count += block.length;
      if (count < PIECE_S * SAMPLE_RATE_HZ) continue;
      const all = joined(pending, count);
      pending = [all];
      yield take(
        findQuietPoint(all, CUT_FROM_S * SAMPLE_RATE_HZ, all.length, QUIET_S * SAMPLE_RATE_HZ),
      );
    }
  } catch (thrown) {
    throw unreadable(thrown);
  }
  if (count > 0) yield take(count);
}

function joined(blocks: readonly Float32Array[], count: number): Float32Array<ArrayBuffer> {
  const all = new Float32Array(count);
  let at = 0;
  for (const block of blocks) {
    all.set(block, at);
    at += block.length;
  }
  return all;
}

function mono(sample: AudioSample): Float32Array {
  const { numberOfFrames, numberOfChannels: channels } = sample;
  const sum = new Float32Array(numberOfFrames);
  const plane = new Float32Array(numberOfFrames);
  for (let planeIndex = 0; planeIndex < channels; planeIndex += 1) {
    sample.copyTo(plane, { planeIndex, format: 'f32-planar' });
    for (let index = 0; index < numberOfFrames; index += 1) {
      sum[index] = (sum[index] ?? 0) + (plane[index] ?? 0) / channels;
    }
  }
  return sum;
}

function isSound(samples: Float32Array): boolean {
  const energy = samples.reduce((sum, sample) => sum + sample * sample, 0);
  return Math.sqrt(energy / samples.length) > SILENCE;
}

/** Zero crossings of the filter on either side. */
const CROSSINGS = 12;

/**
 * Makes what brings blocks of one stream to 16 kHz, each as far as it is known by then: a windowed
 * sinc that lets nothing above half the lower rate through. The last few milliseconds stay behind.
 */
export function createResampler(rateHz: number): (block: Float32Array) => Float32Array {
  if (rateHz === SAMPLE_RATE_HZ) return (block) => block;
  const divisor = greatestDivisor(rateHz, SAMPLE_RATE_HZ);
  // An output lies at so many `phases`ths of an input behind the one before.
  const phases = SAMPLE_RATE_HZ / divisor;
  const step = rateHz / divisor;
  const cutoff = Math.min(1, SAMPLE_RATE_HZ / rateHz);
  const half = Math.ceil(CROSSINGS / cutoff);
  const filters = Array.from({ length: phases }, (_, phase) =>
    filterOf(phase / phases, half, cutoff),
  );
  /** What is not used up, its first sample at `origin` of the stream. */
  let input = new Float32Array(half);
  let origin = -half;
  let outputs = 0;
  return (block) => {
    const known = new Float32Array(input.length + block.length);
    known.set(input);
    known.set(block, input.length);
    const end = origin + known.length;
    const made = new Float32Array(Math.ceil((known.length * phases) / step) + 1);
    const before = outputs;
    for (; ; outputs += 1) {
      const middle = Math.floor((outputs * step) / phases);
      if (middle + half + 1 > end) break;
      const filter = filters[(outputs * step) % phases] ?? new Float32Array();
      const from = middle - half + 1 - origin;
      let sum = 0;
      for (let tap = 0; tap < filter.length; tap += 1) {
        sum += (filter[tap] ?? 0) * (known[from + tap] ?? 0);
      }
      made[outputs - before] = sum;
    }
    const next = Math.floor((outputs * step) / phases) - half - origin;
    input = known.slice(next);
    origin += next;
    return made.subarray(0, outputs - before);
  };
}

/** The taps for an output that lies `offset` of a sample behind an input. */
function filterOf(offset: number, half: number, cutoff: number): Float32Array {
  return Float32Array.from({ length: 2 * half }, (_, tap) => {
    const away = tap - half + 1 - offset;
    const x = Math.PI * away * cutoff;
    const window = 0.5 + 0.5 * Math.cos((Math.PI * away) / (half + 1));
    return cutoff * (Math.abs(x) < 1e-9 ? 1 : Math.sin(x) / x) * window;
  });
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}
