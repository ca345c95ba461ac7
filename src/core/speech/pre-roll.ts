import { countSamples, pieceEnd, type SpeechPiece, splitPiece } from './speech-piece.ts';

/** The latest audio that belongs to no segment: speech-to-be takes its padding from here. */
export type PreRoll = ReturnType<typeof createPreRoll>;

/** A pre-roll that always holds the latest `capacitySamples`, and at most one frame more. */
export function createPreRoll(capacitySamples: number) {
  let pieces: SpeechPiece[] = [];

  return {
    /** Adds audio that follows what is there; the oldest goes when there is enough without it. */
    push(more: readonly SpeechPiece[]) {
      pieces.push(...more);
      let spareSamples = countSamples(pieces) - capacitySamples;
      while (pieces[0] !== undefined && pieces[0].pcm.length <= spareSamples) {
        spareSamples -= pieces[0].pcm.length;
        pieces.shift();
      }
    },
    /** Takes out everything from this sample on; what lies before it is dropped. */
    takeFrom(startSample: number): readonly SpeechPiece[] {
      const taken = pieces
        .filter((piece) => pieceEnd(piece) > startSample)
        .map((piece) =>
          piece.startSample < startSample
            ? splitPiece(piece, startSample - piece.startSample)[1]
            : piece,
        );
      pieces = [];
      return taken;
    },
  };
}
