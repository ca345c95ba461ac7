import { History, Inbox } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { DeliveryVerdict, Dictation } from '../core/contracts/dictation.ts';
import { watchPointerDownOutside } from '../field/field-watches.ts';
import type { DictationListProps } from './DictationList.tsx';
import { Failed, type Fetched } from './fetched-later.tsx';
import type { OwnElements } from './own-elements.ts';
import { useStrings } from './strings.ts';
import type { Strings } from './strings-sv.ts';
import { Tooltip } from './Tooltip.tsx';
import { useFocusFallback } from './use-focus-fallback.ts';
import { useSnapshot } from './use-snapshot.ts';
import { countText, useWaitingCount, type WaitingCount } from './waiting-count.ts';

type DictationsButtonProps = {
  readonly dictation: Dictation;
  readonly isOpen: boolean;
  /** Opens the list, or closes it; given the button, which gets the focus back. */
  readonly onPress: (button: HTMLElement) => void;
  /** Shown only while something waits. @default false */
  readonly isForWaiting?: boolean;
};

/** Opens the list of dictations, and says how many wait; nothing while there are none. */
export function DictationsButton(props: DictationsButtonProps) {
  const { dictation, isOpen, onPress, isForWaiting = false } = props;
  const { dictations: strings } = useStrings();
  const count = useWaitingCount(dictation);
  const hasAny = useHasDictations(dictation);
  const all = count.waiting + count.doubted;
  if (!hasAny || (isForWaiting && all === 0)) return null;
  const common = {
    type: 'button',
    'aria-haspopup': 'dialog',
    'aria-expanded': isOpen,
    onClick: ({ currentTarget }: { readonly currentTarget: HTMLElement }) => onPress(currentTarget),
  } as const;
  if (all === 0) {
    return (
      <Tooltip label={strings.title}>
        <button {...common} className="tool" aria-label={strings.title}>
          <History aria-hidden />
        </button>
      </Tooltip>
    );
  }
  return (
    <button {...common} className="tool waiting-button">
      <Inbox aria-hidden />
      <span className="waiting-label-short" aria-hidden>
        {all}
      </span>
      <span className="waiting-label-long">{buttonText(count, strings)}</span>
    </button>
  );
}

function buttonText(count: WaitingCount, strings: Strings['dictations']): string {
  if (count.doubted === 0) return strings.show(count.waiting);
  return count.waiting === 0 ? strings.showReviews(count.doubted) : countText(count, strings);
}

/** Whether anything waits, or there are recordings, also such as can only be had back. */
export function useHasDictations(dictation: Dictation): boolean {
  const { waiting, doubted } = useWaitingCount(dictation);
  const hasRecordings = useSnapshot(dictation, ({ recordings }) => recordings.list.length > 0);
  return hasRecordings || waiting + doubted > 0;
}

/** Whether the panel with the list is open. */
export type DictationPanelState = {
  readonly isOpen: boolean;
  /** Opens it, or closes it; given the button that was pressed. */
  toggle(button: HTMLElement): void;
  /** Closes it, and gives the focus back to the button that opened it. */
  close(): void;
};

/** A press on anything that is not the field's own closes the panel. */
export function useDictationPanel(own: OwnElements): DictationPanelState {
  const [isOpen, setIsOpen] = useState(false);
  const opener = useRef<HTMLElement | null>(null);

  useEffect(() => {
    if (!isOpen) return;
    return watchPointerDownOutside(document, own, () => setIsOpen(false));
  }, [isOpen, own]);

  return {
    isOpen,
    toggle: useCallback((button) => {
      opener.current = button;
      setIsOpen((wasOpen) => !wasOpen);
    }, []),
    close: useCallback(() => {
      // If that button is gone, the text gets the focus.
      opener.current?.focus({ preventScroll: true });
      setIsOpen(false);
    }, []),
  };
}

type DictationPanelProps = {
  /** The list, as soon as it is there. */
  readonly list: Fetched<DictationListProps>;
  readonly dictation: Dictation;
  readonly insert: (text: string, withdrawn?: AbortSignal) => Promise<DeliveryVerdict>;
  readonly copy: (text: string) => Promise<boolean>;
  readonly onClose: () => void;
  /** Gets the focus when there is nothing to list any more: the text. */
  readonly focusFallback: HTMLElement;
};

/**
 * The list where a page has no place for it. It has the focus when it opens; Escape closes it.
 */
export function DictationPanel({ list: List, focusFallback, ...props }: DictationPanelProps) {
  const strings = useStrings().dictations;
  const panel = useRef<HTMLDivElement>(null);
  useFocusFallback(panel, focusFallback);
  useEffect(() => panel.current?.focus({ preventScroll: true }), []);
  return (
    <div
      ref={panel}
      role="dialog"
      aria-label={strings.title}
      tabIndex={-1}
      className="dictation-panel"
      onKeyDown={(event) => {
        // A dialog that asks before deleting closes by itself.
        const isAsking = event.target instanceof Element && event.target.closest('dialog');
        if (event.key !== 'Escape' || isAsking) return;
        event.preventDefault();
        props.onClose();
      }}
    >
      {List === 'failed' ? <Failed /> : List && <List {...props} />}
    </div>
  );
}
