import { msToSamples } from '../../src/core/audio/audio-format.ts';
import type { Turn } from '../scheduling/turn.ts';
import { speechWindows } from './speech-windows.ts';
import { splitAtPauses } from './split-at-pauses.ts';

/** The words of one utterance of at most 14 s, '' for none. */
export type RecogniseUtterance = (utterance: Float32Array) => Promise<string>;

/** Moonshine's first layers need about 60 ms; a window this long is never too short for them. */
const MIN_UTTERANCE_SAMPLES = msToSamples(200);

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
): Promise<string> {
  const texts: string[] = [];
  for (const { startSample, endSample } of splitAtPauses(samples)) {
    if (startSample > 0) await turn?.pause();
    const text = await recognisePiece(recognise, samples.subarray(startSample, endSample), signal);
    if (text !== '') texts.push(text);
  }
  return texts.join(' ');
}

/** Tries the piece's windows from generous to narrow until one has words in it. */
async function recognisePiece(
  recognise: RecogniseUtterance,
  piece: Float32Array,
  signal: AbortSignal,
): Promise<string> {
  for (const { startSample, endSample } of speechWindows(piece)) {
    signal.throwIfAborted();
    const text = (await recognise(ownUtterance(piece, startSample, endSample))).trim();
    if (text !== '') return text;
  }
  return '';
}

/** A copy with a buffer of its own, which native code may keep, filled up when too short. */
function ownUtterance(piece: Float32Array, from: number, to: number): Float32Array {
  const utterance = new Float32Array(Math.max(to - from, MIN_UTTERANCE_SAMPLES));
  utterance.set(piece.subarray(from, to));
  return utterance;
}
