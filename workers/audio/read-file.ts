import {
  ALL_FORMATS,
  type AudioSample,
  AudioSampleSink,
  BlobSource,
  FLAC,
  Input,
  type InputFormat,
  MP4,
  QTFF,
} from 'mediabunny';
import {
  FRAME_SAMPLES,
  msToSamples,
  SAMPLE_RATE_HZ,
  samplesToMs,
} from '../../src/core/audio/audio-format.ts';
import { rmsDbfs } from '../../src/core/audio/level.ts';
import { mixChannels } from '../../src/core/audio/mix-channels.ts';
import { toPcm16Value, writeSamples } from '../../src/core/audio/samples.ts';
import { writeWav } from '../../src/core/audio/wav-file.ts';
import { createChunkCutter, type SpeechChunk } from '../../src/core/speech/chunk-cutter.ts';
import type { SpeechEngine } from '../../src/core/speech/speech-engine.ts';
import { createSpeechGate } from '../../src/core/speech/speech-gate.ts';
import { VAD_PRESETS } from '../../src/core/speech/vad-options.ts';
import type { SoundPiece } from '../../src/platform/file-sound.ts';
import { isUnread } from './is-cut.ts';
import { withWaveSizes } from './mend-wave-head.ts';
import { packedType, packetPieces } from './packet-pieces.ts';

/** Why a file gives no sound. */
export class UnreadableSound extends Error {
  readonly why: 'no-sound' | 'unreadable';

  /** The codec of a sound that cannot be read, if known. */
  readonly codec: string | null;

  constructor(why: UnreadableSound['why'], codec: string | null = null, cause?: unknown) {
    super(`The file cannot be read: ${why}`, { cause });
    this.why = why;
    this.codec = codec;
  }
}

/** A piece ends at a pause from so much speech on, and its text is soon there to be seen. */
const FULL_S = 20;
/** Without a pause it is cut where it is quietest in its last third. */
const MOST_S = 30;
const SEARCH_S = 10;
/** After so long without speech a piece ends with what it has, if that is more than a click. */
const LONG_PAUSE_FRAMES = 100;
const LEAST_FRAMES = 3;
/** As often it is told how far a file is in which nobody speaks. */
const TOLD_FRAMES = 300;

/** A voice in a recording may be farther from the microphone than one that dictates. */
const VAD = VAD_PRESETS.sensitive;

/** Formats whose files tell the length of their sound; others tell one that is a guess, or the film's. */
const EXACT: readonly InputFormat[] = [FLAC, MP4, QTFF];

/** The most of a file that is held in memory. */
const CACHE_BYTES = 2 * 2 ** 20;

/** The engine hears so much in front of where reading goes on: cold it misses the first word. */
const WARM_FRAMES = 40;

/** Quieter than any room with a person in it: nothing is asked about it. */
const SILENCE = 10 ** (-60 / 20);

/**
 * Opens the sound of an audio or video file: its first track that can be heard, by the browser's own
 * decoders; where those lack its codec, as packets. Little of it is in memory at any time. Without an engine
 * all that is not silent counts as speech. Rejects with `UnreadableSound`.
 */
export async function openSound(given: Blob, engine: Promise<SpeechEngine | null>) {
  const source = new BlobSource(await withWaveSizes(given), { maxCacheSize: CACHE_BYTES });
  const input = new Input({ formats: ALL_FORMATS, source });
  let damages = (await isUnread(given)) ? 1 : 0;
  try {
    const track = await input.getPrimaryAudioTrack();
    // One that was cut off before its tables has no tracks at all.
    const isFilm = track === null && (await input.getTracks()).length > 0;
    if (!track) throw new UnreadableSound(isFilm ? 'no-sound' : 'unreadable');
    requirePlausible(await track.getSampleRate(), await track.getNumberOfChannels());
    const { codec } = track;
    const type = (await track.canDecode()) ? 'audio/wav' : packedType(track);
    if (!type) throw new UnreadableSound('unreadable', codec);
    const durationS = await track.computeDuration();
    const isToldExactly = EXACT.includes(await input.getFormat());
    const toldS = isToldExactly ? ((await track.getDurationFromMetadata()) ?? 0) : 0;
    const sink = new AudioSampleSink(track);
    return {
      ...{ durationMs: 1_000 * durationS, type, codec },
      /** False once a part of it could not be decoded. */
      isWhole: () => damages === 0,
      /** In order, from that time on. Rejects with `UnreadableSound` where nothing more can be read. */
      async *pieces(fromMs: number): AsyncGenerator<SoundPiece, void> {
        if (type !== 'audio/wav') return yield* packetPieces(track, fromMs);
        const fromSample = msToSamples(fromMs);
        const warm = Math.min(WARM_FRAMES, Math.floor(fromSample / FRAME_SAMPLES));
        const startSample = fromSample - warm * FRAME_SAMPLES;
        const lengths = { durationS, toldS };
        const decoded = pastDamage(sink, startSample / SAMPLE_RATE_HZ, lengths, () => {
          damages += 1;
        });
        yield* inPieces(inFrames(decoded, startSample), fromSample, await engine);
      },
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

/** Rates and channels of microphones and sound cards; outside of these a header is damaged. */
function requirePlausible(rateHz: number, channels: number): void {
  const isPlausible = rateHz >= 4_000 && rateHz <= 384_000 && channels >= 1 && channels <= 32;
  if (!isPlausible) throw new UnreadableSound('unreadable');
}

/** The sound skipped where a decoder fails; each further failure in a row skips more. */
const DAMAGE_S = 0.25;
const MOST_DAMAGES = 12;

/** A length that is told may be longer by a packet, or by what a player leaves out. */
const MOST_ROUNDING_S = 0.5;

/**
 * The samples from a time on, without parts that cannot be decoded. Rejects after many failures in a
 * row.
 */
async function* pastDamage(
  sink: AudioSampleSink,
  fromS: number,
  { durationS, toldS }: { readonly durationS: number; readonly toldS: number },
  onDamage: () => void,
): AsyncGenerator<AudioSample, void> {
  let at = fromS;
  let inARow = 0;
  for (;;) {
    try {
      for await (const sample of sink.samples(at)) {
        at = Math.max(at, sample.timestamp + sample.duration);
        inARow = 0;
        yield sample;
      }
      // The file says that there is more of it.
      if (at < toldS - MOST_ROUNDING_S) onDamage();
      return;
    } catch (thrown) {
      inARow += 1;
      at += DAMAGE_S * inARow;
      onDamage();
      if (inARow > MOST_DAMAGES) throw thrown;
      if (at >= durationS) return;
    }
  }
}

type Frame = { readonly startSample: number; readonly pcm: Int16Array };

/** A shorter gap is an inexact clock; a longer one than the longest is a damaged time. */
const LEAST_GAP_S = 0.1;
const LONGEST_GAP_S = 60;

/**
 * The sound from that sample on, at 16 kHz, in whole frames but for the last; gaps are filled with
 * silence.
 */
async function* inFrames(
  decoded: AsyncIterable<AudioSample>,
  startSample: number,
): AsyncGenerator<Frame, void> {
  let rateHz = 0;
  let resample = (block: Float32Array): Float32Array => block;
  let frame = new Int16Array(FRAME_SAMPLES);
  let filled = 0;
  let at = startSample;
  let untilS = startSample / SAMPLE_RATE_HZ;
  function* framesOf(block: Float32Array): Generator<Frame> {
    for (const value of block) {
      frame[filled] = toPcm16Value(value);
      filled += 1;
      if (filled < FRAME_SAMPLES) continue;
      yield { startSample: at, pcm: frame };
      at += FRAME_SAMPLES;
      frame = new Int16Array(FRAME_SAMPLES);
      filled = 0;
    }
  }
  try {
    for await (const sample of decoded) {
      const { sampleRate, numberOfChannels, timestamp, duration } = sample;
      // The first one may begin before: that much has been heard.
      const early = rateHz === 0 ? Math.round((untilS - timestamp) * sampleRate) : 0;
      if (sampleRate !== rateHz) {
        requirePlausible(sampleRate, numberOfChannels);
        resample = createResampler(sampleRate);
        rateHz = sampleRate;
      }
      const gapS = timestamp - untilS;
      if (gapS > LEAST_GAP_S && gapS < LONGEST_GAP_S) {
        yield* framesOf(new Float32Array(Math.round(gapS * SAMPLE_RATE_HZ)));
      }
      untilS = timestamp + duration;
      const block = resample(mono(sample).subarray(Math.max(0, early)));
      sample.close();
      yield* framesOf(block);
    }
  } catch (thrown) {
    throw unreadable(thrown);
  }
  if (filled > 0) yield { startSample: at, pcm: frame.slice(0, filled) };
}

/** Cuts the speech from `fromSample` on into pieces; earlier frames only warm the engine up. */
async function* inPieces(
  frames: AsyncIterable<Frame>,
  fromSample: number,
  engine: SpeechEngine | null,
): AsyncGenerator<SoundPiece, void> {
  const cut: SpeechChunk[] = [];
  const { preSpeechPadFrames, positiveSpeechThreshold } = VAD;
  const cutter = createChunkCutter({
    maxChunkSamples: MOST_S * SAMPLE_RATE_HZ,
    searchSamples: SEARCH_S * SAMPLE_RATE_HZ,
    pauseEndsFromSamples: FULL_S * SAMPLE_RATE_HZ,
    ...{ preSpeechPadFrames, positiveSpeechThreshold },
  });
  // Somebody may be speaking there: a file begins anywhere, and a cut may go through speech.
  const gate = createSpeechGate(VAD, (event) => cut.push(...cutter.event(event)), {
    runningFromSample: fromSample,
  });
  cutter.event({ kind: 'speech-started', startSample: fromSample });
  const probabilityOf = createHearing(engine);
  const heard = new Float32Array(FRAME_SAMPLES);
  let quietFrames = 0;
  let untoldFrames = 0;
  let isAny = false;
  /** The reason why it broke off; all before that is heard. */
  let broken: unknown = null;
  const ending = untilBroken(frames, (thrown) => {
    broken = thrown;
  });
  for await (const { startSample, pcm } of ending) {
    isAny = true;
    writeSamples(pcm, heard);
    heard.fill(0, pcm.length);
    const probability = await probabilityOf(heard);
    if (startSample < fromSample) continue;
    const levelDbfs = rmsDbfs(heard.subarray(0, pcm.length));
    cut.push(...cutter.frame({ startSample, pcm, probability, levelDbfs }));
    gate.accept(startSample, pcm.length, probability);
    quietFrames = gate.isSpeaking ? 0 : quietFrames + 1;
    if (quietFrames >= LONG_PAUSE_FRAMES) cut.push(...cutter.pause(LEAST_FRAMES * FRAME_SAMPLES));
    untoldFrames += 1;
    const isNothing = cut.length === 0 && quietFrames > preSpeechPadFrames;
    if (isNothing && untoldFrames >= TOLD_FRAMES && cutter.accumulatedSamples === 0) {
      untoldFrames = 0;
      const endMs = samplesToMs(startSample - preSpeechPadFrames * FRAME_SAMPLES);
      yield { bytes: null, parts: [], endMs };
    }
    if (cut.length > 0) untoldFrames = 0;
    yield* cut.splice(0).map(pieceOf);
  }
  gate.endSegment();
  const rest = cutter.flush();
  yield* [...cut, ...(rest ? [rest] : [])].map(pieceOf);
  if (broken) throw broken;
  // There is something in a file that was opened: a server may find it.
  if (!isAny && fromSample === 0) throw new UnreadableSound('unreadable');
}

async function* untilBroken<T>(
  values: AsyncIterable<T>,
  onBroken: (thrown: unknown) => void,
): AsyncGenerator<T, void> {
  try {
    yield* values;
  } catch (thrown) {
    onBroken(thrown);
  }
}

/** Tells the probability that somebody speaks in a frame: 1 without an engine, or once it has failed. */
function createHearing(given: SpeechEngine | null) {
  let engine = given;
  engine?.reset();
  return async (frame: Float32Array): Promise<number> => {
    try {
      return (await engine?.infer(frame)) ?? 1;
    } catch (error) {
      console.error('The speech detector failed; all that is not silent counts as speech', error);
      engine = null;
      return 1;
    }
  };
}

function pieceOf({ ranges, samples, speechSamples }: SpeechChunk): SoundPiece {
  const parts = ranges.map(({ startSample, endSample }) => {
    return { startMs: samplesToMs(startSample), endMs: samplesToMs(endSample) };
  });
  const isHeard = speechSamples > 0 && isSound(samples);
  return { bytes: isHeard ? writeWav(samples) : null, parts, endMs: parts.at(-1)?.endMs ?? 0 };
}

function mono(sample: AudioSample): Float32Array {
  const { numberOfFrames, numberOfChannels } = sample;
  const channels = Array.from({ length: numberOfChannels }, (_, planeIndex) => {
    const channel = planeOf(planeIndex + 1, numberOfFrames);
    sample.copyTo(channel, { planeIndex, format: 'f32-planar' });
    return channel;
  });
  return mixChannels(channels, planeOf(0, numberOfFrames));
}

/** Used again for each: memory of thousands of them would wait to be freed. */
const planes: Float32Array[] = [];

function planeOf(index: number, length: number): Float32Array {
  const known = planes[index];
  const plane = known && known.length >= length ? known : new Float32Array(length);
  planes[index] = plane;
  return plane.subarray(0, length);
}

function isSound(samples: Float32Array): boolean {
  const energy = samples.reduce((sum, sample) => sum + sample * sample, 0);
  return Math.sqrt(energy / samples.length) > SILENCE;
}

/** Zero crossings of the filter on either side. */
const CROSSINGS = 12;

/**
 * Makes what brings blocks of one stream to 16 kHz, each as far as it is known by then: a windowed
 * sinc that lets nothing above half the lower rate through. The last few milliseconds stay behind. What
 * a call gives is overwritten by the next.
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
  /** Its first `count` are still needed by the filter; the first one is sample `origin` of the stream. */
  let known = new Float32Array(half);
  let made = new Float32Array();
  let count = half;
  let origin = -half;
  let outputs = 0;
  return (block) => {
    const length = count + block.length;
    if (known.length < length) {
      const longer = new Float32Array(2 * length);
      longer.set(known.subarray(0, count));
      known = longer;
      made = new Float32Array(Math.ceil((longer.length * phases) / step) + 1);
    }
    known.set(block, count);
    const end = origin + length;
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
    known.copyWithin(0, next, length);
    count = length - next;
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
