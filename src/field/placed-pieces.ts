import type { CursorKeeper, CursorPlace, SavedCursor } from './cursor-keeper.ts';
import { insertFitted, type PlacedPiece } from './insert-at-cursor.ts';
import type { TextSurface } from './text-surface.ts';

/** What a trail of pieces goes by. */
export type PlacedPiecesPorts = {
  readonly surface: TextSurface;
  readonly keeper: CursorKeeper;
};

/** The pieces that one dictation has put in, as far as nobody has changed them. */
export type PlacedPieces = ReturnType<typeof createPlacedPieces>;

type Standing = CursorPlace & { readonly replaced: string };

/** No pieces yet. */
export function createPlacedPieces({ surface, keeper }: PlacedPiecesPorts) {
  let pieces: PlacedPiece[] = [];

  function standing(): Standing[] {
    return pieces.flatMap(({ mark, replaced }) => placeOf(mark, replaced));
  }

  function placeOf(mark: SavedCursor | null, replaced: string): Standing[] {
    const place = mark && keeper.find(mark);
    return place && place.start < place.end ? [{ ...place, replaced }] : [];
  }

  /** With the blanks that came along with them. */
  function all(): Standing[] {
    const places = pieces.flatMap(({ mark, behind, replaced }) => {
      const words = placeOf(mark, replaced);
      return words.length > 0 ? [...words, ...placeOf(behind, '')] : [];
    });
    return places.sort((one, other) => one.start - other.start);
  }

  /** One after the other is one place: one step for whoever wants them back. */
  function joined(): Standing[] {
    const places: Standing[] = [];
    for (const next of all()) {
      const last = places.at(-1);
      if (last?.end === next.start && next.replaced === '') {
        places.splice(-1, 1, { ...last, end: next.end });
      } else places.push(next);
    }
    return places;
  }

  const release = (): void => {
    for (const { mark, behind } of pieces) {
      mark.release();
      behind?.release();
    }
    pieces = [];
  };

  return {
    add: (piece: PlacedPiece) => pieces.push(piece),
    /** Whether any of them stands unchanged. */
    stand: (): boolean => standing().length > 0,
    /** Takes those out that stand unchanged, and puts back what they took the place of. */
    takeBack() {
      // From the last on, so that the places before it stay where they are.
      for (const { start, end, replaced } of joined().reverse()) {
        const cursor = keeper.save({ anchor: start, focus: end });
        insertFitted({ surface, keeper }, replaced, cursor, { start, end, behind: 0 });
        cursor.release();
      }
      release();
    },
    /** Forgets them. Harmless when done twice. */
    release,
  };
}
