import type { CursorKeeper, CursorPlace } from './cursor-keeper.ts';
import { insertFitted, type PlacedPiece } from './insert-at-cursor.ts';
import type { TextSurface } from './text-surface.ts';

/** What a trail of pieces goes by. */
export type PlacedPiecesPorts = {
  readonly surface: TextSurface;
  readonly keeper: CursorKeeper;
};

/** The pieces that one dictation has put in, as far as nobody has changed them. */
export type PlacedPieces = {
  add(piece: PlacedPiece): void;
  /** Whether any of them stands unchanged. */
  stand(): boolean;
  /** Takes those out that stand unchanged, and puts back what they took the place of. */
  takeBack(): void;
  /** Forgets them. Harmless when done twice. */
  release(): void;
};

type Standing = CursorPlace & { readonly piece: PlacedPiece };

/** No pieces yet. */
export function createPlacedPieces({ surface, keeper }: PlacedPiecesPorts): PlacedPieces {
  let pieces: PlacedPiece[] = [];

  function standing(): Standing[] {
    return pieces.flatMap((piece) => {
      const place = keeper.find(piece.mark);
      return place && place.start < place.end ? [{ ...place, piece }] : [];
    });
  }

  /** One after the other is one place: one step for whoever wants them back. */
  function joined(): Standing[] {
    const places: Standing[] = [];
    for (const next of standing().sort((one, other) => one.start - other.start)) {
      const last = places.at(-1);
      if (last?.end === next.start && next.piece.replaced === '') {
        places.splice(-1, 1, { ...last, end: next.end });
      } else places.push(next);
    }
    return places;
  }

  const release = (): void => {
    for (const { mark } of pieces) mark.release();
    pieces = [];
  };

  return {
    add: (piece) => pieces.push(piece),
    stand: () => standing().length > 0,
    takeBack() {
      // From the last on, so that the places before it stay where they are.
      for (const { start, end, piece } of joined().reverse()) {
        const cursor = keeper.save({ anchor: start, focus: end });
        insertFitted({ surface, keeper }, piece.replaced, cursor, { start, end });
        cursor.release();
      }
      release();
    },
    release,
  };
}
