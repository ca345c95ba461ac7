import { samplesOf } from '../audio/pcm16.ts';
import type { SampleRange } from '../audio/sample-range.ts';

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
 * The two sides of a place in a piece; the copy is the pieces' own memory, so either can be let go.
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

/** How many samples pieces hold together. */
export function countSamples(pieces: readonly SpeechPiece[]): number {
  return pieces.reduce((total, piece) => total + piece.pcm.length, 0);
}

/** The pieces' audio, one after the other. */
export function concatPieces(pieces: readonly SpeechPiece[]): Float32Array {
  return samplesOf(pieces.map(({ pcm }) => pcm));
}

/**
 * Where the pieces lie in the session: one range a segment, or part of a segment. `before` are the
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
