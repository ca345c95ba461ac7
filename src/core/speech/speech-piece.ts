import type { SampleRange } from '../audio/audio-format.ts';
import { findQuietPoint } from '../audio/quiet-point.ts';
import { samplesOf } from '../audio/samples.ts';

/** Recorded audio with its probability: a frame, or what is left of one after a cut. */
export type SpeechPiece = {
  readonly startSample: number;
  /** 16-bit PCM, as it is sent. Owned: never written to again. */
  readonly pcm: Int16Array;
  /** Speech probability, 0 to 1. */
  readonly probability: number;
  readonly levelDbfs: number;
  /** A segment begins here, so that the place before it lies between two segments. */
  readonly startsSegment: boolean;
};

/** The sample after a piece's last. */
export function pieceEnd(piece: SpeechPiece): number {
  return piece.startSample + piece.pcm.length;
}

/**
 * The two sides of a place in a piece. Both are copies, so that the memory of either can be freed.
 */
export function splitPiece(piece: SpeechPiece, offsetSamples: number): [SpeechPiece, SpeechPiece] {
  return [
    { ...piece, pcm: piece.pcm.slice(0, offsetSamples) },
    {
      ...piece,
      startSample: piece.startSample + offsetSamples,
      pcm: piece.pcm.slice(offsetSamples),
      startsSegment: false,
    },
  ];
}

/** The length of pieces together, in samples. */
export function countSamples(pieces: readonly SpeechPiece[]): number {
  return pieces.reduce((total, piece) => total + piece.pcm.length, 0);
}

/** The pieces' audio, one after the other. */
export function concatPieces(pieces: readonly SpeechPiece[]): Float32Array {
  return samplesOf(pieces.map(({ pcm }) => pcm));
}

/**
 * The ranges of the pieces in the session, one for each segment or part of one. `before` are the
 * ranges of the pieces before these.
 */
export function pieceRanges(
  pieces: readonly SpeechPiece[],
  before: readonly SampleRange[] = [],
): readonly SampleRange[] {
  const ranges = [...before];
  for (const piece of pieces) {
    const last = ranges.at(-1);
    if (last === undefined || piece.startsSegment || last.endSample !== piece.startSample) {
      ranges.push({ startSample: piece.startSample, endSample: pieceEnd(piece) });
    } else {
      ranges[ranges.length - 1] = { startSample: last.startSample, endSample: pieceEnd(piece) };
    }
  }
  return ranges;
}

/** The first `position` samples, in whole pieces and perhaps part of one, and what is left. */
export function takeSamples(
  pieces: readonly SpeechPiece[],
  position: number,
): { taken: readonly SpeechPiece[]; wholePieces: number; rest: SpeechPiece[] } {
  let left = position;
  let wholePieces = 0;
  for (const piece of pieces) {
    if (piece.pcm.length > left) break;
    left -= piece.pcm.length;
    wholePieces += 1;
  }
  const taken = pieces.slice(0, wholePieces);
  const rest = pieces.slice(wholePieces);
  const straddling = rest[0];
  if (straddling === undefined || left === 0) return { taken, wholePieces, rest };
  const [before, after] = splitPiece(straddling, left);
  return { taken: [...taken, before], wholePieces, rest: [after, ...rest.slice(1)] };
}

/** The pieces before and after a sample of the session. */
export function splitAtSample(
  pieces: readonly SpeechPiece[],
  sample: number,
): [readonly SpeechPiece[], readonly SpeechPiece[]] {
  const kept: SpeechPiece[] = [];
  const dropped: SpeechPiece[] = [];
  for (const piece of pieces) {
    if (pieceEnd(piece) <= sample) kept.push(piece);
    else if (piece.startSample >= sample) dropped.push({ ...piece, startsSegment: false });
    else {
      const [before, after] = splitPiece(piece, sample - piece.startSample);
      kept.push(before);
      dropped.push(after);
    }
  }
  return [kept, dropped];
}

/** Among probabilities this close, the quieter place is taken. */
const PROBABILITY_TIE = 0.02;

/** Within the chosen frames the quietest 20 ms decide, which are shorter than any vowel. */
const QUIET_BLOCK_SAMPLES = 320;

/** The range in which a chunk may end, in samples of accumulated speech. */
type CutWindow = { readonly earliestSample: number; readonly latestSample: number };

/**
 * The number of samples of accumulated speech to cut off as a chunk; 1 to `latestSample`.
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
  const offset = findQuietPoint(samples, 0, samples.length, QUIET_BLOCK_SAMPLES);
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
