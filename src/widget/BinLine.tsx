import { Undo2 } from 'lucide-react';
import { useRef, useState } from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import { useStrings } from './strings.ts';
import { useFocusFallback } from './use-focus-fallback.ts';
import { useWantedFocus, type WantedFocus } from './use-wanted-focus.ts';

type BinLineProps = {
  readonly dictation: Dictation;
  /** Which recordings lie in the bin. */
  readonly ids: readonly string[];
  /** What is in the bin, for those who only hear the button's name. @default nothing more */
  readonly of?: string;
  readonly focusId: WantedFocus;
  /** Gets the focus when the time to undo is over. */
  readonly fallback: HTMLElement | null;
  readonly onUndo?: () => void;
};

/** "Borttagen. Ångra": where recordings were, for as long as they can be had back. */
export function BinLine({ dictation, ids, of, focusId, fallback, onUndo }: BinLineProps) {
  const { recent: strings, waiting } = useStrings();
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
      {isFailed && <span role="alert">{waiting.failed}</span>}
    </p>
  );
}
