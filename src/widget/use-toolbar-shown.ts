import { startTransition, useCallback, useEffect, useRef, useState } from 'react';
import { activeElementOf } from '../field/dom.ts';
import type { EditableField } from '../field/editable-field.ts';
import {
  watchEnclosingScroll,
  watchPointerDownOutside,
  watchRemoval,
} from '../field/field-watches.ts';
import { useLatest } from './hooks.ts';
import { happenedWithin, type OwnElements } from './press.ts';

/** The browser scrolls a focused field into view, and sends the scroll event a frame later. */
const ARRIVAL_FRAMES = 3;

/** The browser scrolls to the caret by itself for so long after a keyboard or a turned window. */
const RESIZED_FRAMES = 30;

type ToolbarShownSetup = {
  readonly field: EditableField;
  readonly own: OwnElements;
  /** False keeps it away. */
  readonly isWanted: boolean;
  /** Escape in the text hides the toolbar now. */
  readonly isEscapeHiding: boolean;
  /** Called when it is there: it may be needed at any moment. */
  readonly onShow: () => void;
};

/**
 * Shows the toolbar at a focus, a click or a key in the text. Hides it when an area around the field
 * scrolls (unless the browser does that to keep the caret in view), at a press outside of the
 * field's own elements, when the focus moves on, and when the field leaves the page.
 */
export function useToolbarShown(setup: ToolbarShownSetup) {
  const { field, isWanted } = setup;
  const [isShown, setIsShown] = useState(false);
  const latest = useLatest(setup);
  /** Ends the watch for what hides it; null while it is hidden. */
  const watch = useRef<(() => void) | null>(null);
  const isWarm = useRef(false);

  const hide = useCallback(() => {
    watch.current?.();
    watch.current = null;
    setIsShown(false);
  }, []);

  const appear = useCallback(() => {
    if (watch.current !== null) return;
    // From now on, not from when it is drawn: what hides it may come before that.
    watch.current = watchForLeave(field.element, () => latest().own(), hide);
    // The first time its code is compiled too: in one task, a press would have to wait for that.
    if (isWarm.current) setIsShown(true);
    else startTransition(() => setIsShown(true));
    isWarm.current = true;
  }, [field, hide, latest]);

  useEffect(() => {
    const { element } = field;
    if (!isWanted) return;
    /** The page itself has put the focus there, and nobody has asked for anything. */
    const isQuiet = (): boolean => 'isQuiet' in element.dataset;
    const listening = new AbortController();
    const { signal } = listening;
    element.addEventListener(
      'focusin',
      ({ relatedTarget }) => {
        // Back from its own toolbar: that is there already, or it has just gone.
        const isOwn = latest()
          .own()
          .some((each) => each?.contains(relatedTarget as Node));
        if (!(isOwn || isQuiet())) appear();
      },
      { signal },
    );
    element.addEventListener('click', appear, { signal });
    element.addEventListener(
      'keyup',
      ({ key }) => {
        if (key !== 'Escape') appear();
        else if (latest().isEscapeHiding) hide();
      },
      { signal },
    );
    const active = activeElementOf(element);
    if (active !== null && element.contains(active) && !isQuiet()) appear();
    return () => {
      listening.abort();
      hide();
    };
  }, [field, isWanted, appear, hide, latest]);

  useEffect(() => {
    // Not before it is drawn, so that no fetch delays that.
    if (isShown) latest().onShow();
  }, [isShown, latest]);

  return { isShown, hide };
}

/**
 * Calls `onLeave` at whatever takes the toolbar away, as often as that happens, until the answer is
 * called.
 */
function watchForLeave(element: HTMLElement, own: OwnElements, onLeave: () => void): () => void {
  const listening = new AbortController();
  const scrollAfter = (frames: number) =>
    afterFrames(frames, () => watchEnclosingScroll(element, onLeave));
  let endScroll = scrollAfter(ARRIVAL_FRAMES);
  const resized = (): void => {
    endScroll();
    endScroll = scrollAfter(RESIZED_FRAMES);
  };
  window.visualViewport?.addEventListener('resize', resized, { signal: listening.signal });
  const ends = [
    () => listening.abort(),
    () => endScroll(),
    watchPointerDownOutside(element.ownerDocument, own, onLeave),
    watchFocusOutside(element, own, onLeave),
    watchRemoval(element, onLeave),
  ];
  return () => {
    for (const end of ends) end();
  };
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
