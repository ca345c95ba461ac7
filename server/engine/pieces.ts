import { msToSamples, type SampleRange, samplesToMs } from '../../src/core/audio/audio-format.ts';
import type { TimedPart } from '../../src/core/text/time-text.ts';
import type { Turn } from '../scheduling/work-queue.ts';
import type { Recognised } from './engine-port.ts';

/** The grain at which loud and quiet are told apart: 20 ms, about a glottal period or two. */
const POWER_FRAME_SAMPLES = msToSamples(20);

/** The mean power of each 20 ms of `samples`, full scale being 1; the last frame may be shorter. */
function framePowers(samples: Float32Array): Float64Array {
  const powers = new Float64Array(Math.ceil(samples.length / POWER_FRAME_SAMPLES));
  for (let index = 0; index < powers.length; index++) {
    const start = index * POWER_FRAME_SAMPLES;
    const end = Math.min(start + POWER_FRAME_SAMPLES, samples.length);
    let sum = 0;
    for (let at = start; at < end; at++) sum += (samples[at] ?? 0) ** 2;
    powers[index] = sum / (end - start);
  }
  return powers;
}

/**
 * -72 dB of full scale: ten times the noise of 16 bits, and 30 dB below whispering into a bad
 * microphone.
 */
const LEAST_POWER = 10 ** (-72 / 10);

/** Shorter than any word: 60 ms in all. */
const LEAST_FRAMES = 3;

/** True if anything is to be heard in `samples`: a piece without has no words, and needs no model. */
export function hasSound(samples: Float32Array): boolean {
  const powers = framePowers(samples);
  const loudFrames = powers.filter((power) => power >= LEAST_POWER).length;
  return loudFrames > 0 && loudFrames >= Math.min(LEAST_FRAMES, powers.length);
}

/** A tenth of the frames is as quiet as this, or quieter: what is there when nobody speaks. */
const BACKGROUND_SHARE = 0.1;

/** 6 dB: voices move by more, from vowel to pause, also 5 dB over noise; hiss and hum do not. */
const OUTSTANDING_RATIO = 4;

/** The time in `samples` during which something stands out of the background, in ms. */
export function outstandingMs(samples: Float32Array): number {
  const powers = framePowers(samples);
  const background = powers.toSorted()[Math.floor(BACKGROUND_SHARE * powers.length)] ?? 0;
  const least = Math.max(LEAST_POWER, OUTSTANDING_RATIO * background);
  return powers.filter((power) => power >= least).length * samplesToMs(POWER_FRAME_SAMPLES);
}

/** Kept before and after the loud part: a soft first consonant is shorter than this. */
const MARGIN_FRAMES = 5;

/** The measure is the level reached for 200 ms in all: a click or two is shorter. */
const LOUD_FRAMES = 10;

/**
 * The distance below the loud frames at which a frame still counts as speech, in dB, mildest
 * first. Soft consonants lie some 20 to 30 dB below vowels; a noisy room leaves only the last step.
 */
const STEPS_DB = [30, 22, 14] as const;

/**
 * Ranges of speech in `samples`, to try in order: from generous to narrow, none twice, none for
 * pure zeros.
 *
 * Moonshine tiny answers nothing at all for many utterances that begin with more than half a second
 * of quiet (measured: most of the synthetic and human clips tried with 1 s in front), and
 * recordings do begin so: the page keeps about a second of run-up. The quiet is therefore cut off,
 * and when the text is empty nevertheless the next, narrower window is tried.
 */
export function speechWindows(samples: Float32Array): SampleRange[] {
  const powers = framePowers(samples);
  const byPower = powers.toSorted();
  const loudPower = byPower.at(-LOUD_FRAMES) || byPower.at(-1) || 0;
  if (loudPower === 0) return [];

  const windows: SampleRange[] = [];
  for (const stepDb of STEPS_DB) {
    const thresholdPower = loudPower / 10 ** (stepDb / 10);
    const isLoud = (power: number) => power >= thresholdPower;
    const first = powers.findIndex(isLoud) - MARGIN_FRAMES;
    const last = powers.findLastIndex(isLoud) + 1 + MARGIN_FRAMES;
    const window = {
      startSample: Math.max(0, first * POWER_FRAME_SAMPLES),
      endSample: Math.min(samples.length, last * POWER_FRAME_SAMPLES),
    };
    const before = windows.at(-1);
    const isSame =
      before?.startSample === window.startSample && before.endSample === window.endSample;
    if (!isSame) windows.push(window);
  }
  return windows;
}

/** Between which lengths a cut is looked for. */
type PieceLengths = { readonly minPieceMs: number; readonly maxPieceMs: number };

/** A cut needs this much quiet around it, or it goes through a word. */
const PAUSE_FRAMES = msToSamples(200) / POWER_FRAME_SAMPLES;

/** Cuts `samples` at its quietest places into pieces, in order, without a gap. */
export function splitAtPauses(
  samples: Float32Array,
  { minPieceMs, maxPieceMs }: PieceLengths,
): SampleRange[] {
  const minFrames = msToSamples(minPieceMs) / POWER_FRAME_SAMPLES;
  const maxFrames = msToSamples(maxPieceMs) / POWER_FRAME_SAMPLES;
  const powers = framePowers(samples);
  const pieces: SampleRange[] = [];
  let startFrame = 0;
  while (samples.length > (startFrame + maxFrames) * POWER_FRAME_SAMPLES) {
    const endFrame = quietestFrame(powers, startFrame + minFrames, startFrame + maxFrames);
    pieces.push(rangeOf(startFrame, endFrame, samples.length));
    startFrame = endFrame;
  }
  if (samples.length > 0) pieces.push(rangeOf(startFrame, powers.length, samples.length));
  return pieces;
}

/** The middle of the 200 ms with the least power within `[from, to]`; the latest of equals. */
function quietestFrame(powers: Float64Array, from: number, to: number): number {
  let quietest = from;
  let leastPower = Number.POSITIVE_INFINITY;
  for (let start = from; start + PAUSE_FRAMES <= to; start++) {
    let power = 0;
    for (let frame = start; frame < start + PAUSE_FRAMES; frame++) power += powers[frame] ?? 0;
    if (power > leastPower) continue;
    leastPower = power;
    quietest = start + PAUSE_FRAMES / 2;
  }
  return quietest;
}

function rangeOf(startFrame: number, endFrame: number, totalSamples: number): SampleRange {
  return {
    startSample: startFrame * POWER_FRAME_SAMPLES,
    endSample: Math.min(endFrame * POWER_FRAME_SAMPLES, totalSamples),
  };
}

/** Recognises one utterance. */
export type RecogniseUtterance = (utterance: Float32Array) => Promise<Recognised>;

/** The length that a model likes to hear at once. */
type PieceLimits = PieceLengths & {
  /** Shorter ones are filled up with quiet. */
  readonly leastSamples: number;
  /** A piece that is nowhere louder than this is quiet, and the model is not asked; full scale is 1. */
  readonly quietPower: number;
};

/**
 * Moonshine was trained on short utterances: fed with much more than 14 s at once it repeats itself
 * without end. Below 6 s it has too little context to punctuate well. Its first layers need about
 * 60 ms; a window of 200 is never too short for them.
 */
export const MOONSHINE_PIECES: PieceLimits = {
  minPieceMs: 6_000,
  maxPieceMs: 14_000,
  leastSamples: msToSamples(200),
  quietPower: 0,
};

/**
 * Parakeet and what was trained from it hears minutes at once, but memory grows with the length;
 * and pieces under two seconds came back empty from it in others' trials.
 */
export const TRANSDUCER_PIECES: PieceLimits = {
  minPieceMs: 10_000,
  maxPieceMs: 25_000,
  leastSamples: msToSamples(2_000),
  // 70 dB below full scale: no voice, however far away, is as quiet as that for all of a piece.
  quietPower: 1e-7,
};

/**
 * The words in audio of any length: split at pauses, each piece freed from the quiet around it, the
 * texts joined with spaces, and the parts with their times. Between two pieces it stops when `signal` says so, and lets others go
 * first when `turn` says so.
 */
export async function recogniseInPieces(
  recognise: RecogniseUtterance,
  samples: Float32Array,
  signal: AbortSignal,
  turn?: Pick<Turn, 'pause'>,
  limits: PieceLimits = MOONSHINE_PIECES,
): Promise<{ readonly text: string; readonly parts: readonly TimedPart[] }> {
  const parts: TimedPart[] = [];
  for (const { startSample, endSample } of splitAtPauses(samples, limits)) {
    if (startSample > 0) await turn?.pause();
    const piece = samples.subarray(startSample, endSample);
    const part = await recognisePiece(recognise, piece, signal, limits);
    if (part !== null) parts.push(later(part, samplesToMs(startSample)));
  }
  return { text: parts.map(({ text }) => text).join(' '), parts };
}

/** The same part of audio that begins `byMs` earlier. */
function later(part: TimedPart, byMs: number): TimedPart {
  const move = <T extends { readonly startMs: number; readonly endMs: number }>(one: T): T => ({
    ...one,
    startMs: one.startMs + byMs,
    endMs: one.endMs + byMs,
  });
  const { words } = part;
  return { ...move(part), ...(words !== undefined && { words: words.map(move) }) };
}

/** Tries the piece's windows from generous to narrow until one has words in it; else null. */
async function recognisePiece(
  recognise: RecogniseUtterance,
  piece: Float32Array,
  signal: AbortSignal,
  { leastSamples, quietPower }: PieceLimits,
): Promise<TimedPart | null> {
  if (framePowers(piece).every((power) => power <= quietPower)) return null;
  for (const { startSample, endSample } of speechWindows(piece)) {
    signal.throwIfAborted();
    const utterance = ownUtterance(piece, startSample, endSample, leastSamples);
    const { text, words } = await recognise(utterance);
    if (text.trim() === '') continue;
    const endMs = samplesToMs(endSample - startSample);
    const part = { text: text.trim(), startMs: 0, endMs, ...(words !== undefined && { words }) };
    return later(part, samplesToMs(startSample));
  }
  return null;
}

/** A copy with a buffer of its own, which native code may keep, filled up when too short. */
function ownUtterance(
  piece: Float32Array,
  from: number,
  to: number,
  leastSamples: number,
): Float32Array {
  const utterance = new Float32Array(Math.max(to - from, leastSamples));
  utterance.set(piece.subarray(from, to));
  return utterance;
}
