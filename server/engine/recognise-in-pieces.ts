import { msToSamples } from '../../src/core/audio/audio-format.ts';
import type { Turn } from '../scheduling/turn.ts';
import { framePowers } from './frame-power.ts';
import { speechWindows } from './speech-windows.ts';
import { type PieceLengths, splitAtPauses } from './split-at-pauses.ts';

/** The words of one utterance, '' for none. */
export type RecogniseUtterance = (utterance: Float32Array) => Promise<string>;

/** What a model likes to hear at once. */
export type PieceLimits = PieceLengths & {
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
 * texts joined with spaces. Between two pieces it stops when `signal` says so, and lets others go
 * first when `turn` says so.
 */
export async function recogniseInPieces(
  recognise: RecogniseUtterance,
  samples: Float32Array,
  signal: AbortSignal,
  turn?: Pick<Turn, 'pause'>,
  limits: PieceLimits = MOONSHINE_PIECES,
): Promise<string> {
  const texts: string[] = [];
  for (const { startSample, endSample } of splitAtPauses(samples, limits)) {
    if (startSample > 0) await turn?.pause();
    const text = await recognisePiece(
      recognise,
      samples.subarray(startSample, endSample),
      signal,
      limits,
    );
    if (text !== '') texts.push(text);
  }
  return texts.join(' ');
}

/** Tries the piece's windows from generous to narrow until one has words in it. */
async function recognisePiece(
  recognise: RecogniseUtterance,
  piece: Float32Array,
  signal: AbortSignal,
  { leastSamples, quietPower }: PieceLimits,
): Promise<string> {
  if (framePowers(piece).every((power) => power <= quietPower)) return '';
  for (const { startSample, endSample } of speechWindows(piece)) {
    signal.throwIfAborted();
    const text = (
      await recognise(ownUtterance(piece, startSample, endSample, leastSamples))
    ).trim();
    if (text !== '') return text;
  }
  return '';
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
