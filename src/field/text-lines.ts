import { inClientPx, measureInMirror, rangeOver } from './caret-rect.ts';
import { isTextControl, selectionOf } from './dom.ts';
import { readTextMap } from './text-map.ts';

/** Where the caret is in an element's text, counted in units of its text nodes. */
export function caretOffset(element: HTMLElement): number {
  if (isTextControl(element)) {
    const isBackward = element.selectionDirection === 'backward';
    return (isBackward ? element.selectionStart : element.selectionEnd) ?? 0;
  }
  const { focusNode, focusOffset } = selectionOf(element) ?? { focusNode: null, focusOffset: 0 };
  if (focusNode === null || !element.contains(focusNode)) return 0;
  return readTextMap(element).offsetOf({ node: focusNode, offset: focusOffset }) ?? 0;
}

/** More than a window holds is not looked at. */
const NEAR_CHARACTERS = 3_000;

/** The lines of text near an offset of an element's text, in client coordinates. */
export function textRects(element: HTMLElement, offset: number): readonly DOMRect[] {
  const written = isTextControl(element) ? element.value : element.textContent;
  const shown = written || placeholderOf(element);
  if (isTextControl(element) || shown !== written) {
    return measureInMirror(
      element,
      (mirror, toClient) => linesNear(mirror, offset).map(toClient),
      shown,
    );
  }
  return linesNear(element, offset).map((rect) => inClientPx(rect, element));
}

function placeholderOf(element: HTMLElement): string {
  const names = ['placeholder', 'data-placeholder', 'aria-placeholder'];
  return names.map((name) => element.getAttribute(name)).find(Boolean) ?? '';
}

/**
 * The rectangles of lines near the offset, from text nodes alone: a block's own rectangle is as
 * wide even where its line is short.
 */
function linesNear(root: HTMLElement, offset: number): readonly DOMRect[] {
  const walker = root.ownerDocument.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const lines: DOMRect[] = [];
  let at = 0;
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const length = node.nodeValue?.length ?? 0;
    const from = clampTo(offset - NEAR_CHARACTERS - at, length);
    const to = clampTo(offset + NEAR_CHARACTERS - at, length);
    at += length;
    if (from >= to) continue;
    const over = rangeOver({ node, offset: from }, { node, offset: to });
    lines.push(...[...over.getClientRects()].filter(({ width }) => width > 0));
  }
  return lines;
}

function clampTo(offset: number, length: number): number {
  return Math.min(Math.max(offset, 0), length);
}
