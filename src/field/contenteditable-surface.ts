import { acceptsText } from './node-kinds.ts';
import { type DomPoint, readTextMap } from './text-map.ts';
import type { TextSelection, TextSurface } from './text-surface.ts';
import { activeElementOf, selectionOf } from './tree-scope.ts';

/** An element with `contenteditable`, rich or `plaintext-only`, as a surface. */
export function createContentEditableSurface(element: HTMLElement): TextSurface {
  const listening = new AbortController();
  const page = element.ownerDocument;
  /**
   * The browser keeps a range right while the DOM changes, near enough for where the user last was.
   */
  let lastInside: Range | null = null;

  const read = (anchor: DomPoint, focus: DomPoint): TextSelection | null => {
    const map = readTextMap(element);
    const offsets = { anchor: map.offsetOf(anchor), focus: map.offsetOf(focus) };
    return isWhole(offsets) ? offsets : null;
  };
  const readSelection = () => {
    const points = selectionPoints(element);
    return points === null ? null : read(points.anchor, points.focus);
  };
  const remember = () => {
    if (selectionPoints(element) !== null) {
      lastInside = selectionOf(element)?.getRangeAt(0).cloneRange() ?? null;
    }
  };
  page.addEventListener('selectionchange', remember, { signal: listening.signal });
  remember();

  return {
    element,
    isMultiline: true,
    isEditable: () => acceptsText(element),
    maxLength: () => Number.POSITIVE_INFINITY,
    readText: () => readTextMap(element).text,
    visibleText: () => readTextMap(element).wholeText(),
    readSelection,
    lastSelection() {
      const current = readSelection();
      if (current !== null || lastInside === null) return current;
      const { startContainer, startOffset, endContainer, endOffset } = lastInside;
      return read(
        { node: startContainer, offset: startOffset },
        { node: endContainer, offset: endOffset },
      );
    },
    select({ anchor, focus }) {
      if (activeElementOf(element) !== element) element.focus({ preventScroll: true });
      const map = readTextMap(element);
      const from = map.pointAt(anchor);
      const to = map.pointAt(focus);
      selectionOf(element)?.setBaseAndExtent(from.node, from.offset, to.node, to.offset);
      // The event comes later, when the selection may be in another element again.
      remember();
    },
    watch(onChange) {
      // Told right after each key press, when the caret still says where the change was.
      const observer = new MutationObserver(onChange);
      observer.observe(element, { childList: true, characterData: true, subtree: true });
      return () => observer.disconnect();
    },
    offsetAtPoint(clientX, clientY) {
      const point = pointUnder(page, clientX, clientY);
      return point && readTextMap(element).offsetOf(point);
    },
    dispose: () => listening.abort(),
  };
}

function pointUnder(page: Document, clientX: number, clientY: number): DomPoint | null {
  const position = page.caretPositionFromPoint?.(clientX, clientY);
  if (position) return { node: position.offsetNode, offset: position.offset };
  // Safari before 18.4 has only this; of a text control it tells nothing.
  const range = page.caretRangeFromPoint?.(clientX, clientY);
  return range ? { node: range.startContainer, offset: range.startOffset } : null;
}

type OffsetPair = { readonly anchor: number | null; readonly focus: number | null };

function isWhole(offsets: OffsetPair): offsets is TextSelection {
  return offsets.anchor !== null && offsets.focus !== null;
}

/** The selection's two points when both lie in the element. */
function selectionPoints(element: HTMLElement): { anchor: DomPoint; focus: DomPoint } | null {
  const selection = selectionOf(element);
  if (selection === null) return null;
  const { anchorNode, anchorOffset, focusNode, focusOffset } = selection;
  if (anchorNode === null || focusNode === null) return null;
  if (!(element.contains(anchorNode) && element.contains(focusNode))) return null;
  return {
    anchor: { node: anchorNode, offset: anchorOffset },
    focus: { node: focusNode, offset: focusOffset },
  };
}
