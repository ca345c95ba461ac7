import { useCallback, useEffect, useRef, useState } from 'react';
import { watchPointerDownOutside } from '../field/scroll-and-outside.ts';
import type { OwnElements } from './own-elements.ts';

/** Whether the list of what waits is open. */
export type WaitingPanelState = {
  readonly isOpen: boolean;
  /** Opens it, or closes it; given the button that was pressed. */
  toggle(button: HTMLElement): void;
  /** Closes it, and gives the focus back to the button that opened it. */
  close(): void;
};

/** A press on anything that is not the field's own closes the panel. */
export function useWaitingPanel(own: OwnElements): WaitingPanelState {
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
