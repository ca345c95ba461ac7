import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { EditableField, PieceTrail } from '../field/editable-field.ts';
import type { SavedCursor } from '../field/saved-cursors.ts';

/** A dictation that is over and stands in the field, piece by piece. */
export type TakeBack = {
  /** Takes its pieces out again, those that stand as they went in. */
  takeBack(): void;
};

/** The pieces of a field's live dictations. */
export type FieldPieces = {
  /** A dictation begins; null where the field cannot take pieces. The one before stays. */
  begin(cursor: SavedCursor): PieceTrail | null;
  /** All of that dictation has gone in; the next one may have begun. */
  end(trail: PieceTrail): void;
  /** Null while one goes on, and when nothing stands any more. */
  readonly taken: TakeBack | null;
};

/** Keeps the last live dictation of a field, so that it can be taken back whole. */
export function useFieldPieces(field: EditableField): FieldPieces {
  const current = useRef<PieceTrail | null>(null);
  const [standing, setStanding] = useState<PieceTrail | null>(null);

  const forget = useCallback((): void => {
    current.current?.release();
    current.current = null;
    setStanding(null);
  }, []);
  const begin = useCallback(
    (cursor: SavedCursor): PieceTrail | null => {
      forget();
      current.current = field.trail?.(cursor) ?? null;
      return current.current;
    },
    [field, forget],
  );
  const end = useCallback(
    (trail: PieceTrail): void => {
      if (trail !== current.current) trail.release();
      else if (trail.stands()) setStanding(trail);
      else forget();
    },
    [forget],
  );
  useEffect(() => forget, [forget]);

  // What the user changes or undoes is not ours to take back.
  useEffect(() => {
    if (!standing) return;
    const look = (): void => {
      if (!standing.stands()) forget();
    };
    field.element.addEventListener('input', look);
    return () => field.element.removeEventListener('input', look);
  }, [field, standing, forget]);

  const taken = useMemo(
    () => standing && { takeBack: () => void standing.takeBack().then(forget) },
    [standing, forget],
  );
  return useMemo(() => ({ begin, end, taken }), [begin, end, taken]);
}
