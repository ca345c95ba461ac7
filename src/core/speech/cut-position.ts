import { findQuietPoint } from '../audio/quiet-point.ts';
import { concatPieces, countSamples, type SpeechPiece } from './speech-piece.ts';

/** Probabilities this close say the same: the quieter place is taken. */
const PROBABILITY_TIE = 0.02;

/** The stretch whose silence decides within the chosen frames: 20 ms, shorter than any vowel. */
const QUIET_STRETCH_SAMPLES = 320;

/** Where a chunk may end, in samples of accumulated speech. */
export type CutWindow = { readonly earliestSample: number; readonly latestSample: number };

/**
 * How many samples of accumulated speech to cut off as a chunk; 1 to `latestSample`.
 *
 * The latest boundary between segments in the window is the quietest place of all. Without one,
 * speech does not pause there: then the middle of the quietest 20 ms of the two neighbouring frames
 * with the lowest speech probability (their mean). `pieces` hold at least `latestSample` samples.
 */
export function chooseCutPosition(pieces: readonly SpeechPiece[], window: CutWindow): number {
  const placed = placePieces(pieces);
  return (
    findBoundary(placed, window) ??
    findQuietFrames(placed, window, 2) ??
    findQuietFrames(placed, window, 1) ??
    window.latestSample
  );
}

/** A piece and its place in the accumulated speech. */
type PlacedPiece = { readonly piece: SpeechPiece; readonly position: number };

function placePieces(pieces: readonly SpeechPiece[]): readonly PlacedPiece[] {
  let position = 0;
  return pieces.map((piece) => {
    const placed = { piece, position };
    position += piece.pcm.length;
    return placed;
  });
}

function findBoundary(placed: readonly PlacedPiece[], window: CutWindow): number | undefined {
  const boundary = placed.findLast(
    ({ piece, position }) =>
      piece.startsSegment &&
      position > 0 &&
      position >= window.earliestSample &&
      position <= window.latestSample,
  );
  return boundary?.position;
}

/** A run of neighbouring frames in which the cut could lie. */
type Candidate = {
  readonly position: number;
  readonly pieces: readonly SpeechPiece[];
  readonly probability: number;
  readonly levelDbfs: number;
};

function findQuietFrames(
  placed: readonly PlacedPiece[],
  window: CutWindow,
  frames: number,
): number | undefined {
  const candidates: Candidate[] = [];
  for (let index = 0; index + frames <= placed.length; index += 1) {
    const candidate = toCandidate(placed.slice(index, index + frames));
    const end = candidate.position + countSamples(candidate.pieces);
    if (candidate.position >= window.earliestSample && end <= window.latestSample) {
      candidates.push(candidate);
    }
  }
  const best = quietest(candidates);
  if (best === undefined) return undefined;
  const samples = concatPieces(best.pieces);
  const offset = findQuietPoint(samples, 0, samples.length, QUIET_STRETCH_SAMPLES);
  return Math.max(1, best.position + offset);
}

function toCandidate(run: readonly PlacedPiece[]): Candidate {
  const pieces = run.map(({ piece }) => piece);
  const mean = (value: (piece: SpeechPiece) => number) =>
    pieces.reduce((total, piece) => total + value(piece), 0) / pieces.length;
  return {
    position: run[0]?.position ?? 0,
    pieces,
    probability: mean((piece) => piece.probability),
    levelDbfs: mean((piece) => piece.levelDbfs),
  };
}

/** Lowest probability; among near ties the lowest level, and of those the latest. */
function quietest(candidates: readonly Candidate[]): Candidate | undefined {
  const lowest = Math.min(...candidates.map(({ probability }) => probability));
  return candidates
    .filter(({ probability }) => probability <= lowest + PROBABILITY_TIE)
    .reduce<Candidate | undefined>(
      (best, next) => (best === undefined || next.levelDbfs <= best.levelDbfs ? next : best),
      undefined,
    );
}
