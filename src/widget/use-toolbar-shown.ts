import { startTransition, useCallback, useEffect, useState } from 'react';
import type { EditableField } from '../field/editable-field.ts';
import { watchEnclosingScroll, watchPointerDownOutside } from '../field/scroll-and-outside.ts';
import { activeElementOf } from '../field/tree-scope.ts';
import { watchRemoval } from '../field/watch-removal.ts';
import { happenedWithin, type OwnElements } from './own-elements.ts';
import { useLatest } from './use-latest.ts';

/** A field that gets the focus is brought into view by the browser, which is told a frame later. */
const ARRIVAL_FRAMES = 3;

/** So long a keyboard, or a turned window, has the browser scroll to the caret by itself. */
const RESIZED_FRAMES = 30;

/** Whether the toolbar is there: while the field has the focus or was clicked. */
export type ToolbarShown = {
  readonly isShown: boolean;
  hide(): void;
};

type ToolbarShownSetup = {
  readonly field: EditableField;
  readonly own: OwnElements;
  /** False keeps it away. */
  readonly isWanted: boolean;
  /** Whether Escape in the text hides it now. */
  readonly isEscapeHiding: boolean;
  /** Called when it is about to be needed. */
  readonly onShow: () => void;
};

/**
 * It comes with the focus, a click or a key in the text. It goes when an area around the field
 * scrolls, unless the browser does that to keep the caret in view, when something outside of what is the field's own is pressed, when the focus moves on,
 * and when the field leaves the page.
 */
export function useToolbarShown(setup: ToolbarShownSetup): ToolbarShown {
  const { field, own, isWanted } = setup;
  const [isShown, setIsShown] = useState(false);
  const hide = useCallback(() => setIsShown(false), []);
  const latest = useLatest(setup);

  useEffect(() => {
    const { element } = field;
    if (!isWanted) return;
    const listening = new AbortController();
    const { signal } = listening;
    const show = (): void => {
      latest().onShow();
      setIsShown(true);
    };
    element.addEventListener(
      'focusin',
      ({ relatedTarget }) => {
        // Back from its own toolbar: that is there already, or it has just gone.
        const isOwn = latest()
          .own()
          .some((each) => each?.contains(relatedTarget as Node));
        if (relatedTarget === null || !isOwn) show();
      },
      { signal },
    );
    element.addEventListener('click', show, { signal });
    element.addEventListener(
      'keyup',
      ({ key }) => {
        if (key !== 'Escape') setIsShown(true);
        else if (latest().isEscapeHiding) hide();
      },
      { signal },
    );
    const active = activeElementOf(element);
    // Nobody has just pressed anything: drawn in slices.
    if (active !== null && element.contains(active)) startTransition(show);
    return () => {
      listening.abort();
      hide();
    };
  }, [field, isWanted, hide, latest]);

  useEffect(() => {
    if (!isShown) return;
    const { element } = field;
    const page = element.ownerDocument;
    const listening = new AbortController();
    const scrollAfter = (frames: number) =>
      afterFrames(frames, () => watchEnclosingScroll(element, hide));
    let endScroll = scrollAfter(ARRIVAL_FRAMES);
    const resized = (): void => {
      endScroll();
      endScroll = scrollAfter(RESIZED_FRAMES);
    };
    window.visualViewport?.addEventListener('resize', resized, { signal: listening.signal });
    const ends = [
      () => listening.abort(),
      () => endScroll(),
      watchPointerDownOutside(page, own, hide),
      watchFocusOutside(element, own, hide),
      watchRemoval(element, hide),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [field, isShown, hide, own]);

  return { isShown, hide };
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
  element: HTMLElement,
  own: OwnElements,
  onOutside: () => void,
): () => void {
  const onFocusIn = (event: Event): void => {
    if (!happenedWithin(event, own())) onOutside();
  };
  // A move within a shadow tree is not told outside of it.
  const scopes = new Set<Node>([element.ownerDocument, element.getRootNode()]);
  for (const scope of scopes) scope.addEventListener('focusin', onFocusIn);
  return () => {
    for (const scope of scopes) scope.removeEventListener('focusin', onFocusIn);
  };
}
