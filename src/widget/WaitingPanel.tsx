import { useEffect, useRef } from 'react';
import type { DeliveryVerdict, Dictation } from '../core/contracts/dictation.ts';
import { useHasRecordings } from './RecentButton.tsx';
import { RecentLater } from './RecentLater.tsx';
import { useStrings } from './strings.ts';
import { useFocusFallback } from './use-focus-fallback.ts';
import { WaitingList } from './WaitingList.tsx';
import { useWaitingCount } from './waiting-count.ts';

type WaitingPanelProps = {
  readonly dictation: Dictation;
  readonly insert: (text: string, withdrawn?: AbortSignal) => Promise<DeliveryVerdict>;
  readonly copy: (text: string) => Promise<boolean>;
  readonly onClose: () => void;
  /** Gets the focus when there is nothing to list any more: the text. */
  readonly focusFallback: HTMLElement;
};

/**
 * What waits and what was dictated, where a page has no place for lists. It has the focus when it
 * opens; Escape closes it.
 */
export function WaitingPanel({
  dictation,
  insert,
  copy,
  onClose,
  focusFallback,
}: WaitingPanelProps) {
  const strings = useStrings().recent;
  const { waiting, doubted } = useWaitingCount(dictation);
  const hasRecordings = useHasRecordings(dictation);
  const lists = { dictation, insert, copy };
  const panel = useRef<HTMLDivElement>(null);
  useFocusFallback(panel, focusFallback);
  useEffect(() => panel.current?.focus({ preventScroll: true }), []);
  return (
    <div
      ref={panel}
      role="dialog"
      aria-label={strings.panel}
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
      <WaitingList {...lists} onClose={onClose} />
      {hasRecordings && (
        // One of them is enough to close both with.
        <RecentLater {...lists} {...(waiting + doubted > 0 ? {} : { onClose })} />
      )}
    </div>
  );
}
