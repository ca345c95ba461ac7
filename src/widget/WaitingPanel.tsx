import { useEffect, useRef } from 'react';
import type { DeliveryVerdict, Dictation } from '../core/contracts/dictation.ts';
import { useStrings } from './strings.ts';
import { useFocusFallback } from './use-focus-fallback.ts';
import { WaitingList } from './WaitingList.tsx';

type WaitingPanelProps = {
  readonly dictation: Dictation;
  readonly insert: (text: string, withdrawn?: AbortSignal) => Promise<DeliveryVerdict>;
  readonly copy: (text: string) => Promise<boolean>;
  readonly onClose: () => void;
  /** Gets the focus when nothing waits any more: the text. */
  readonly focusFallback: HTMLElement;
};

/**
 * The list of what waits, where a page has no place for it. It has the focus when it opens; Escape
 * closes it.
 */
export function WaitingPanel({
  dictation,
  insert,
  copy,
  onClose,
  focusFallback,
}: WaitingPanelProps) {
  const strings = useStrings().waiting;
  const panel = useRef<HTMLDivElement>(null);
  useFocusFallback(panel, focusFallback);
  useEffect(() => panel.current?.focus({ preventScroll: true }), []);
  return (
    <div
      ref={panel}
      role="dialog"
      aria-label={strings.title}
      tabIndex={-1}
      className="waiting-panel"
      onKeyDown={(event) => {
        // A dialog that asks before deleting closes by itself.
        const isAsking = event.target instanceof Element && event.target.closest('dialog');
        if (event.key !== 'Escape' || isAsking) return;
        event.preventDefault();
        onClose();
      }}
    >
      <WaitingList dictation={dictation} insert={insert} copy={copy} onClose={onClose} />
    </div>
  );
}
