import { type RefObject, useCallback, useEffect, useState } from 'react';
import type { EditableField } from '../field/editable-field.ts';
import { watchEnclosingScroll, watchPointerDownOutside } from '../field/scroll-and-outside.ts';

/** A field that gets the focus is brought into view by the browser, which is told a frame later. */
const ARRIVAL_FRAMES = 3;

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
      afterFrames(ARRIVAL_FRAMES, () => watchEnclosingScroll(field.element, hide)),
      watchPointerDownOutside(document, () => [sheetRef.current], hide),
      watchFocusOutside(sheetRef, hide),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [field, isShown, hide, sheetRef]);

  return { isShown, show, hide };
}

/** Begins a watch when so many frames have been drawn; the answer ends it, or it never begins. */
function afterFrames(frames: number, begin: () => () => void): () => void {
  let end = (): void => {};
  let frame = 0;
  const count = (left: number): void => {
    frame = requestAnimationFrame(() => {
      if (left > 1) count(left - 1);
      else end = begin();
    });
  };
  count(frames);
  return () => {
    cancelAnimationFrame(frame);
    end();
  };
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
