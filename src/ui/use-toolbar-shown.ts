import { type RefObject, useCallback, useEffect, useState } from 'react';
import type { EditableField } from '../field/editable-field.ts';
import { watchEnclosingScroll, watchPointerDownOutside } from '../field/scroll-and-outside.ts';

/** Whether the toolbar is there: while the field has the focus or was clicked. */
export type ToolbarShown = {
  readonly isShown: boolean;
  show(): void;
  hide(): void;
};

/**
 * It goes when an area around the field scrolls, when something outside of `sheetRef` is pressed, and
 * when the focus moves on. It comes back with the next click, focus or key in the text.
 */
export function useToolbarShown(
  field: EditableField | null,
  sheetRef: RefObject<HTMLElement | null>,
): ToolbarShown {
  const [isShown, setIsShown] = useState(false);
  const show = useCallback(() => setIsShown(true), []);
  const hide = useCallback(() => setIsShown(false), []);

  useEffect(() => {
    if (!field || !isShown) return;
    const ends = [
      watchEnclosingScroll(field.element, hide),
      watchPointerDownOutside(document, () => [sheetRef.current], hide),
      watchFocusOutside(sheetRef, hide),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [field, isShown, hide, sheetRef]);

  return { isShown, show, hide };
}

/** A window that loses the focus is no reason: then nothing else in the page has it. */
function watchFocusOutside(
  sheetRef: RefObject<HTMLElement | null>,
  onOutside: () => void,
): () => void {
  const onFocusIn = ({ target }: FocusEvent): void => {
    if (target instanceof Node && !sheetRef.current?.contains(target)) onOutside();
  };
  document.addEventListener('focusin', onFocusIn);
  return () => document.removeEventListener('focusin', onFocusIn);
}
