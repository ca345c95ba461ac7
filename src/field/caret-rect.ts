import { isTextControl, selectionOf, type TextControl } from './dom.ts';
import { type DomPoint, type Leaf, readTextMap, type TextMap } from './text-map.ts';

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

/** The same for a text area or an input, measured in a copy: browsers give no rectangles there. */
function textControlCaretRect(element: TextControl): DOMRect {
  const isBackward = element.selectionDirection === 'backward';
  const offset = (isBackward ? element.selectionStart : element.selectionEnd) ?? 0;
  return placeRect(element, offset);
}

/** Where an offset of an element's text is, in client coordinates, of no width. */
export function placeRect(element: HTMLElement, offset: number): DOMRect {
  const rect = isTextControl(element)
    ? measureInMirror(element, (mirror, toClient) => {
        const inMirror = rectAtOffset(readTextMap(mirror), offset);
        return inMirror && toClient(inMirror);
      })
    : rectAtOffset(readTextMap(element), offset);
  if (rect === null) return firstLineRect(element);
  return isTextControl(element) ? rect : inClientPx(rect, element);
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
 * At the end of a line, in a soft wrap or a newline, Firefox reports the point behind it at that
 * line's end; the caret is drawn where the next one begins.
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

export function rangeOver(from: DomPoint, to: DomPoint): Range {
  const range = document.createRange();
  range.setStart(from.node, from.offset);
  range.setEnd(to.node, to.offset);
  return range;
}

function lastWithHeight(rects: DOMRectList): DOMRect | null {
  return [...rects].findLast((rect) => rect.height > 0) ?? null;
}

/** The styles that decide where a letter stands. */
const COPIED_STYLES = [
  'borderBottomWidth',
  'borderLeftWidth',
  'borderRightWidth',
  'borderTopWidth',
  'boxSizing',
  'direction',
  'fontFamily',
  'fontFeatureSettings',
  'fontKerning',
  'fontSize',
  'fontSizeAdjust',
  'fontStretch',
  'fontStyle',
  'fontVariant',
  'fontVariationSettings',
  'fontWeight',
  'height',
  'hyphens',
  'letterSpacing',
  'lineBreak',
  'lineHeight',
  'overflowWrap',
  'overflowX',
  'overflowY',
  'paddingBottom',
  'paddingLeft',
  'paddingRight',
  'paddingTop',
  'tabSize',
  'textAlign',
  'textIndent',
  'textTransform',
  'unicodeBidi',
  'width',
  'wordBreak',
  'wordSpacing',
  'writingMode',
] as const;

/**
 * Measures in an invisible copy of a text control, an element like any other: browsers give no
 * rectangles for what is inside a control (Chromium's `createValueRange` does, but puts an empty
 * line on the line before). The copy is in the page only while `measure` runs; its text ends in a
 * zero-width space, so that the last line is never empty. `toClient` tells where a rectangle of the
 * copy is in the control, scrolled, zoomed or scaled. A rotated control is measured as if it stood
 * upright.
 */
export function measureInMirror<T>(
  control: HTMLElement,
  measure: (mirror: HTMLElement, toClient: (rect: DOMRect) => DOMRect) => T,
  text = isTextControl(control) ? control.value : '',
): T {
  const page = control.ownerDocument;
  const mirror = createMirror(control, text);
  page.documentElement.append(mirror);
  try {
    return measure(mirror, (rect) => moveInto(control, mirror, inClientPx(rect, mirror)));
  } finally {
    mirror.remove();
  }
}

function createMirror(control: HTMLElement, text: string): HTMLElement {
  const mirror = control.ownerDocument.createElement('div');
  const style = getComputedStyle(control);
  // The page's rules for its own elements are not meant for this one.
  mirror.style.all = 'initial';
  for (const name of COPIED_STYLES) mirror.style[name] = style[name];
  const isOneLine = control.localName === 'input';
  Object.assign(mirror.style, {
    position: 'fixed',
    top: '0',
    left: '0',
    // Letters have whole pixels for their height, at each size others.
    zoom: zoomAround(control) / zoomAround(control.ownerDocument.documentElement),
    visibility: 'hidden',
    pointerEvents: 'none',
    borderStyle: 'solid',
    whiteSpace: isOneLine ? 'pre' : style.whiteSpace,
    // An input's line stands in the middle of its height.
    alignContent: isOneLine ? 'center' : 'normal',
  });
  if (isOneLine) mirror.style.lineHeight = 'normal';
  mirror.setAttribute('aria-hidden', 'true');
  mirror.textContent = `${text}\u200B`;
  return mirror;
}

function moveInto(control: HTMLElement, mirror: HTMLElement, rect: DOMRect): DOMRect {
  const from = clientBox(mirror);
  const to = clientBox(control);
  const zoom = clientScale(control, to);
  const scale = zoom / clientScale(mirror, from);
  return new DOMRect(
    to.left - control.scrollLeft * zoom + (rect.left - from.left) * scale,
    to.top - control.scrollTop * zoom + (rect.top - from.top) * scale,
    rect.width * scale,
    rect.height * scale,
  );
}

/**
 * An element's rectangle in client pixels. In a part with CSS `zoom` WebKit, as Chromium before 128,
 * gives rectangles in that part's own pixels.
 */
export function clientBox(element: Element): DOMRect {
  return inClientPx(element.getBoundingClientRect(), element);
}

/** A rectangle that the browser gave for an element, or for its content, in client pixels. */
export function inClientPx(rect: DOMRect, element: Element): DOMRect {
  const zoom = zoomAround(element);
  if (zoom === 1 || givesClientPx(element.ownerDocument)) return rect;
  return new DOMRect(rect.x * zoom, rect.y * zoom, rect.width * zoom, rect.height * zoom);
}

/** CSS zoom of an element and its ancestors together. */
function zoomAround(element: Element): number {
  let zoom = 1;
  for (let part: Element | null = element; part !== null; part = parentOf(part)) {
    zoom *= Number(getComputedStyle(part).zoom) || 1;
  }
  return zoom;
}

/** The element around an element, also through shadow trees. */
export function parentOf(element: Element): Element | null {
  if (element.parentElement !== null) return element.parentElement;
  const root = element.getRootNode();
  return 'host' in root && root.host instanceof Element ? root.host : null;
}

function givesClientPx(page: Document): boolean {
  const probe = page.createElement('div');
  probe.style.cssText = 'all: initial; position: fixed; width: 1px; zoom: 2';
  page.documentElement.append(probe);
  const { width } = probe.getBoundingClientRect();
  probe.style.zoom = '1';
  const isScaled = width > probe.getBoundingClientRect().width * 1.5;
  probe.remove();
  return isScaled;
}

/** CSS zoom and scaling together: client pixels in a pixel of the element's own. */
function clientScale(element: HTMLElement, box: DOMRect): number {
  const style = getComputedStyle(element);
  const px = (value: string) => Number.parseFloat(value) || 0;
  const edges = [
    style.paddingLeft,
    style.paddingRight,
    style.borderLeftWidth,
    style.borderRightWidth,
  ];
  const isWhole = style.boxSizing === 'border-box';
  // `offsetWidth` is whole pixels only; but an inline element has no other width.
  const width = px(style.width) + (isWhole ? 0 : edges.reduce((sum, edge) => sum + px(edge), 0));
  const ownPx = style.display === 'inline' || width === 0 ? element.offsetWidth : width;
  return ownPx === 0 ? 1 : box.width / ownPx;
}
