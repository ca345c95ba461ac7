import { autoUpdate, flip, type Middleware, offset, shift, useFloating } from '@floating-ui/react';
import {
  type ReactNode,
  startTransition,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
} from 'react';
import { clientBox } from '../field/caret-rect.ts';
import type { EditableField } from '../field/editable-field.ts';
import { useStrings } from './strings.ts';
import { TooltipGroup } from './Tooltip.tsx';
import { TOOLBAR_OFFSET_PX, WINDOW_PADDING_PX } from './toolbar-place.ts';
import { showOnTop } from './top-layer.ts';
import { useFocusFallback } from './use-focus-fallback.ts';
import { useRovingFocus } from './use-roving-focus.ts';

type CaretToolbarProps = {
  readonly field: EditableField;
  /** Escape was pressed in it: the focus belongs in the text again. */
  readonly onEscape: () => void;
  readonly children: ReactNode;
};

/**
 * Floats under the caret and follows it; above it where there is no room below. Never on the line
 * being written, never out of what is seen of the window; unseen while the caret is scrolled out of the field.
 */
export function CaretToolbar({ field, onEscape, children }: CaretToolbarProps) {
  const strings = useStrings();
  const roving = useRovingFocus();
  const { refs, floatingStyles, update, middlewareData, isPositioned } = useFloating({
    strategy: 'fixed',
    placement: 'bottom-start',
    middleware: [
      offset(TOOLBAR_OFFSET_PX),
      flip({ padding: WINDOW_PADDING_PX }),
      shift({ padding: WINDOW_PADDING_PX }),
      caretOutOfSight(field),
    ],
    // What scrolls around the field hides the toolbar instead.
    whileElementsMounted: (caret, toolbar, follow) =>
      autoUpdate(caret, toolbar, follow, { ancestorScroll: false }),
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
    // What is selected in a text control of a shadow tree is not told outside of it.
    for (const scope of new Set([document, field.element.getRootNode()])) {
      scope.addEventListener('selectionchange', update, { signal });
    }
    // With a keyboard up the page is moved under the window by this alone.
    window.visualViewport?.addEventListener('scroll', update, { signal, passive: true });
    field.element.addEventListener('input', update, { signal });
    field.element.addEventListener('scroll', update, { signal, passive: true });
    return () => listening.abort();
  }, [field, update]);

  const toolbarRef = useRef<HTMLDivElement | null>(null);
  useFocusFallback(toolbarRef, field.element);
  const { ref: rovingRef } = roving;
  const { setFloating } = refs;
  const setElement = useCallback(
    (element: HTMLDivElement | null) => {
      toolbarRef.current = element;
      // It is unseen until it has its place, which is found in a task of its own.
      startTransition(() => setFloating(element));
      rovingRef(element);
      showOnTop(element);
    },
    [setFloating, rovingRef],
  );

  const isSeen = isPositioned && !middlewareData.caretOutOfSight?.isOut;
  return (
    <div
      ref={setElement}
      popover="manual"
      className="toolbar"
      role="toolbar"
      aria-label={strings.toolbarLabel}
      tabIndex={-1}
      style={{ ...floatingStyles, visibility: isSeen ? 'visible' : 'hidden' }}
      // A press must not take the caret out of the text.
      onMouseDown={(event) => event.preventDefault()}
      onFocus={roving.onFocus}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onEscape();
        else roving.onKeyDown(event);
      }}
    >
      <TooltipGroup>{children}</TooltipGroup>
    </div>
  );
}

/** Tells when the caret lies outside of what is seen of its own, scrolled field. */
function caretOutOfSight(field: EditableField): Middleware {
  return {
    name: 'caretOutOfSight',
    fn() {
      const caret = field.caretRect();
      const box = clientBox(field.element);
      return { data: { isOut: caret.bottom <= box.top || caret.top >= box.bottom } };
    },
  };
}
