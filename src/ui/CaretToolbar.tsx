import { flip, offset, shift, useFloating } from '@floating-ui/react';
import { type ReactNode, type RefObject, useEffect, useLayoutEffect } from 'react';
import type { EditableField } from '../field/editable-field.ts';
import { watchEnclosingScroll, watchPointerDownOutside } from '../field/scroll-and-outside.ts';
import { STRINGS } from './strings.ts';
import { TooltipGroup } from './Tooltip.tsx';

/** How far below the caret the toolbar floats (spec, section 2). */
export const TOOLBAR_OFFSET_PX = 27;
const WINDOW_PADDING_PX = 8;

type CaretToolbarProps = {
  readonly field: EditableField;
  readonly toolbarRef: RefObject<HTMLDivElement | null>;
  /** What a press may land on without hiding the toolbar. */
  readonly own: () => readonly (Element | null)[];
  readonly onHide: () => void;
  readonly children: ReactNode;
};

/** Floats under the caret and follows it, until something around it scrolls or is pressed. */
export function CaretToolbar({ field, toolbarRef, own, onHide, children }: CaretToolbarProps) {
  const { refs, floatingStyles, update } = useFloating({
    strategy: 'fixed',
    placement: 'bottom-start',
    middleware: [
      offset(TOOLBAR_OFFSET_PX),
      flip({ padding: WINDOW_PADDING_PX }),
      shift({ padding: WINDOW_PADDING_PX }),
    ],
  });

  useLayoutEffect(() => {
    refs.setPositionReference({
      getBoundingClientRect: () => field.caretRect(),
      contextElement: field.element,
    });
  }, [field, refs]);

  useEffect(() => {
    const listening = new AbortController();
    const { signal } = listening;
    document.addEventListener('selectionchange', update, { signal });
    field.element.addEventListener('input', update, { signal });
    field.element.addEventListener('scroll', update, { signal, passive: true });
    window.addEventListener('resize', update, { signal });
    return () => listening.abort();
  }, [field, update]);

  useEffect(() => watchEnclosingScroll(field.element, onHide), [field, onHide]);
  useEffect(() => watchPointerDownOutside(document, own, onHide), [own, onHide]);

  return (
    <div
      ref={(element) => {
        refs.setFloating(element);
        toolbarRef.current = element;
      }}
      className="toolbar"
      role="toolbar"
      aria-label={STRINGS.toolbarLabel}
      style={floatingStyles}
      // A press must not take the caret out of the text.
      onMouseDown={(event) => event.preventDefault()}
    >
      <TooltipGroup>{children}</TooltipGroup>
    </div>
  );
}
