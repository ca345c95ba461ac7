import { clientBox, clientScale, inClientPx } from './client-box.ts';
import { measureInMirror } from './control-mirror.ts';
import { isTextControl, type TextControl } from './node-kinds.ts';
import { type DomPoint, type Leaf, readTextMap, type TextMap } from './text-map.ts';
import { selectionOf } from './tree-scope.ts';

/** Where the caret of an editable element is, in client coordinates, of no width. */
export function caretRect(element: HTMLElement): DOMRect {
  return isTextControl(element) ? textControlCaretRect(element) : contentEditableCaretRect(element);
}

/**
 * Where the caret of a `contenteditable` is, in client coordinates: the end of the selection that
 * the user moves. Reads only. Without a selection in the element it is the start of the first line.
 */
export function contentEditableCaretRect(element: HTMLElement): DOMRect {
  const selection = selectionOf(element);
  const { focusNode, focusOffset } = selection ?? { focusNode: null, focusOffset: 0 };
  if (focusNode === null) return firstLineRect(element);
  const map = readTextMap(element);
  const offset = map.offsetOf({ node: focusNode, offset: focusOffset });
  const rect = offset === null ? null : rectAtOffset(map, offset);
  return rect === null ? firstLineRect(element) : inClientPx(rect, element);
}

/** The same for a text area or an input, measured in a copy of it, since browsers don't tell. */
function textControlCaretRect(element: TextControl): DOMRect {
  const isBackward = element.selectionDirection === 'backward';
  const offset = (isBackward ? element.selectionStart : element.selectionEnd) ?? 0;
  return (
    measureInMirror(element, (mirror) => rectAtOffset(readTextMap(mirror), offset)) ??
    firstLineRect(element)
  );
}

function rectAtOffset(map: TextMap, offset: number): DOMRect | null {
  const leaf = map.leafAt(offset);
  if (leaf === null) return null;
  if (leaf.kind !== 'text') return edgeRect(leaf, offset > leaf.start);
  const point = map.pointAt(offset);
  const here = collapsedRect(point);
  const next = characterEdgeRect(point, leaf);
  return here === null || (next !== null && isOnLaterLine(next, here)) ? next : here;
}

/**
 * Where a line ends, in a soft wrap or a newline, Firefox has the point behind it at the end of that
 * line; the caret stands where the next one begins.
 */
function isOnLaterLine(next: DOMRect, here: DOMRect): boolean {
  return next.top > (here.top + here.bottom) / 2;
}

/**
 * A caret's own rectangle. At a soft wrap there are two: the last is on the line the caret is on.
 */
function collapsedRect(point: DomPoint): DOMRect | null {
  return lastWithHeight(rangeOver(point, point).getClientRects());
}

/**
 * The edge of the character after the caret. An empty line gives no rectangle for a collapsed
 * range, but its newline has one, of no width.
 */
function characterEdgeRect({ node, offset }: DomPoint, leaf: Leaf): DOMRect | null {
  const next = { node, offset: offset + 1 };
  const length = node.textContent?.length ?? leaf.length;
  if (offset >= length) return null;
  const rect = lastWithHeight(rangeOver({ node, offset }, next).getClientRects());
  return rect && edgeOf(rect, isRightToLeft(node), false);
}

function edgeRect(leaf: Leaf, isPast: boolean): DOMRect | null {
  const parent = leaf.node.parentNode;
  if (parent === null) return null;
  const index = Array.prototype.indexOf.call(parent.childNodes, leaf.node);
  const over = rangeOver({ node: parent, offset: index }, { node: parent, offset: index + 1 });
  const rect = lastWithHeight(over.getClientRects());
  return rect && edgeOf(rect, isRightToLeft(leaf.node), isPast);
}

/** Where the first line of an element begins: there is nothing in it that could be measured. */
function firstLineRect(element: HTMLElement): DOMRect {
  const style = getComputedStyle(element);
  const box = clientBox(element);
  const zoom = clientScale(element, box);
  const units = (value: string) => (Number.parseFloat(value) || 0) * zoom;
  const left = box.left + units(style.borderLeftWidth) + units(style.paddingLeft);
  const right = box.right - units(style.borderRightWidth) - units(style.paddingRight);
  const top = box.top + units(style.borderTopWidth) + units(style.paddingTop);
  const height = fontHeightPx(style) * zoom;
  const leading = (units(style.lineHeight) || height) - height;
  const isOneLine = element.localName === 'input';
  const y = isOneLine ? (box.top + box.bottom - height) / 2 : top + leading / 2;
  return new DOMRect(startOf(style, left, right), y, 0, height);
}

/** As high as the caret will be on text: the font's ascent and descent, not the line's height. */
function fontHeightPx({ font, fontSize }: CSSStyleDeclaration): number {
  const pen = document.createElement('canvas').getContext('2d');
  // 1.2 is what fonts commonly have.
  if (pen === null) return Number.parseFloat(fontSize) * 1.2;
  pen.font = font;
  const { fontBoundingBoxAscent, fontBoundingBoxDescent } = pen.measureText('x');
  return Math.round(fontBoundingBoxAscent) + Math.round(fontBoundingBoxDescent);
}

function startOf(
  { textAlign, direction }: CSSStyleDeclaration,
  left: number,
  right: number,
): number {
  if (textAlign === 'center') return (left + right) / 2;
  const isRight =
    direction === 'rtl'
      ? textAlign !== 'left' && textAlign !== 'end'
      : textAlign === 'right' || textAlign === 'end';
  return isRight ? right : left;
}

function edgeOf(rect: DOMRect, isRtl: boolean, isPast: boolean): DOMRect {
  return new DOMRect(isRtl === isPast ? rect.left : rect.right, rect.top, 0, rect.height);
}

function isRightToLeft(node: Node): boolean {
  return node.parentElement !== null && getComputedStyle(node.parentElement).direction === 'rtl';
}

function rangeOver(from: DomPoint, to: DomPoint): Range {
  const range = document.createRange();
  range.setStart(from.node, from.offset);
  range.setEnd(to.node, to.offset);
  return range;
}

function lastWithHeight(rects: DOMRectList): DOMRect | null {
  return [...rects].findLast((rect) => rect.height > 0) ?? null;
}
