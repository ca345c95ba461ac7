import { Trash2, Undo2 } from 'lucide-react';
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import { removable, removalOf } from '../core/session/dictations.ts';
import { activeElementOf } from '../field/dom.ts';
import { useListStrings } from './dictation-words.ts';
import { ConfirmDialog } from './fields.tsx';
import { useFocusFallback, useSnapshot } from './hooks.ts';
import { useStrings } from './strings.tsx';

/**
 * The dictation that is to have the keyboard's focus when it is next drawn, as a row or as a line of
 * the bin; null for none.
 */
export type WantedFocus = RefObject<string | null>;

/**
 * Gives the focus to `target` when it begins to stand for the dictation that is to have it, unless
 * the focus has moved elsewhere meanwhile, to the text above all.
 */
export function useWantedFocus(
  target: RefObject<HTMLElement | null>,
  wanted: WantedFocus,
  ids: readonly string[],
): void {
  const all = ids.join('\n');
  useLayoutEffect(() => {
    if (wanted.current === null || !all.split('\n').includes(wanted.current)) return;
    wanted.current = null;
    const element = target.current;
    if (element && !isFocusElsewhere(element)) element.focus({ preventScroll: true });
  }, [all, wanted, target]);
}

/** True if the focus is outside of the list, or the options, that an element belongs to. */
function isFocusElsewhere(element: HTMLElement): boolean {
  const { activeElement, body } = element.ownerDocument;
  if (activeElement === null || activeElement === body) return false;
  // A dialog around it has it when a button in it has gone.
  if (activeElement.contains(element)) return false;
  const around = element.closest('section, fieldset, [role="dialog"]');
  return !around?.contains(activeElementOf(element));
}

type BinLineProps = {
  readonly dictation: Dictation;
  /** Which dictations lie in the bin. */
  readonly ids: readonly string[];
  /** Names the content of the bin for screen readers. @default nothing more */
  readonly of?: string;
  readonly focusId: WantedFocus;
  /** Gets the focus when the time to undo is over. */
  readonly fallback: HTMLElement | null;
  readonly onUndo?: () => void;
};

/** "Borttagen. Ångra", in the place of deleted dictations for as long as that can be undone. */
export function BinLine({ dictation, ids, of, focusId, fallback, onUndo }: BinLineProps) {
  const strings = useListStrings();
  const { dictations } = useStrings();
  const [isFailed, setIsFailed] = useState(false);
  const line = useRef<HTMLParagraphElement>(null);
  const undo = useRef<HTMLButtonElement>(null);
  useFocusFallback(line, fallback);
  useWantedFocus(undo, focusId, ids);
  return (
    <p ref={line} className="bin-line">
      <span>{strings.removed(ids.length)}</span>
      <button
        ref={undo}
        type="button"
        className="tool"
        aria-label={of && `${strings.undo}, ${of}`}
        onClick={() => {
          focusId.current = ids[0] ?? null;
          setIsFailed(false);
          onUndo?.();
          Promise.all(ids.map((id) => dictation.recordings.undoDelete(id))).catch(() =>
            setIsFailed(true),
          );
        }}
      >
        <Undo2 aria-hidden />
        <span>{strings.undo}</span>
      </button>
      {isFailed && <span role="alert">{dictations.failed}</span>}
    </p>
  );
}

type RemoveAllButtonProps = {
  readonly dictation: Dictation;
  /** Called with the ids being deleted, those that wait first. */
  readonly onRemove: (ids: readonly string[]) => void;
};

/**
 * Deletes all stored sound and text except a recording going on, and first says how much that is.
 * Nothing while there is none.
 */
export function RemoveAllButton({ dictation, onRemove }: RemoveAllButtonProps) {
  const strings = useListStrings();
  const { dictations } = useStrings();
  const hasAny = useSnapshot(dictation, (snapshot) => removable(snapshot).length > 0);
  const [isAsking, setIsAsking] = useState(false);
  const [isFailed, setIsFailed] = useState(false);
  const remove = (): void => {
    setIsFailed(false);
    onRemove(removable(dictation.getSnapshot()).map(({ id }) => id));
    dictation.wipe().catch(() => setIsFailed(true));
  };
  return (
    <>
      {hasAny && (
        <button type="button" className="tool is-quiet" onClick={() => setIsAsking(true)}>
          <Trash2 aria-hidden />
          <span>{strings.removeAll}</span>
        </button>
      )}
      {isFailed && <p role="alert">{dictations.failed}</p>}
      {isAsking && (
        <ConfirmDialog
          title={strings.removeAllTitle}
          warning={strings.removeAllWarning(removalOf(dictation.getSnapshot()))}
          confirm={strings.removeAll}
          cancel={strings.cancel}
          onConfirm={remove}
          onClose={() => setIsAsking(false)}
        />
      )}
    </>
  );
}
