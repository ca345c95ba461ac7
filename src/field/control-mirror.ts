import { clientBox, clientScale, inClientPx, zoomAround } from './client-box.ts';
import type { TextControl } from './node-kinds.ts';

/** Everything that decides where a letter stands. */
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
 * zero-width space, so that the last line is never empty. `measure` gives a rectangle in client
 * coordinates of the copy; the answer is where that is in the control, scrolled, zoomed or scaled.
 * A rotated control is measured as if it stood upright.
 */
export function measureInMirror(
  control: TextControl,
  measure: (mirror: HTMLElement) => DOMRect | null,
): DOMRect | null {
  const page = control.ownerDocument;
  const mirror = createMirror(control);
  page.documentElement.append(mirror);
  try {
    const rect = measure(mirror);
    return rect && moveInto(control, mirror, inClientPx(rect, mirror));
  } finally {
    mirror.remove();
  }
}

function createMirror(control: TextControl): HTMLElement {
  const mirror = control.ownerDocument.createElement('div');
  const style = getComputedStyle(control);
  // What the page wants of its own elements is not meant for this one.
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
  mirror.textContent = `${control.value}\u200B`;
  return mirror;
}

function moveInto(control: TextControl, mirror: HTMLElement, rect: DOMRect): DOMRect {
  const from = clientBox(mirror);
  const to = clientBox(control);
  const zoom = clientScale(control, to);
  const scale = zoom / clientScale(mirror, from);
  return new DOMRect(
    to.left - control.scrollLeft * zoom + (rect.left - from.left) * scale,
    to.top - control.scrollTop * zoom + (rect.top - from.top) * scale,
    0,
    rect.height * scale,
  );
}
