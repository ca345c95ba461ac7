/** Distance of the toolbar below the caret (docs/behaviour.md). */
export const TOOLBAR_OFFSET_PX = 27;

/** Least distance of the toolbar from the window's edge. */
export const WINDOW_PADDING_PX = 8;

/**
 * Shows an element with `popover="manual"` above everything, wherever it stands in the document: no
 * parent clips or transforms it there, and one in a modal dialog stays within the dialog. A browser
 * without popovers leaves it where it is. A ref callback.
 */
export function showOnTop(element: HTMLElement | null): void {
  if (element === null) return;
  const zoom = 'currentCSSZoom' in element ? Number(element.currentCSSZoom) : 1;
  // A CSS zoom around it would multiply the coordinates it is given.
  if (zoom > 0 && zoom !== 1) element.style.setProperty('zoom', String(1 / zoom));
  if (!('showPopover' in element && element.isConnected)) return;
  if (!element.matches(':popover-open')) element.showPopover();
}

/**
 * The corner that `fixed` elements are placed from, in measured coordinates, with the element's size.
 * It is 0, 0 except in WebKit, which measures from the visible part of the window: zoomed, or moved
 * to clear a keyboard, that is another corner.
 */
export function fixedOrigin(element: HTMLElement): DOMRect {
  const { inset } = element.style;
  element.style.inset = '0 auto auto 0';
  const origin = element.getBoundingClientRect();
  element.style.inset = inset;
  return origin;
}

/** Puts a toolbar below the caret, or above it where there is no room; in the visible window. */
export function placeAtCaret(toolbar: HTMLElement, caret: DOMRect): void {
  const { left, top, width, height } = fixedOrigin(toolbar);
  const below = caret.bottom + TOOLBAR_OFFSET_PX;
  // A keyboard may lie over the window's end.
  const end =
    top + (visualViewport ? visualViewport.offsetTop + visualViewport.height : innerHeight);
  const isRoom = below + height + WINDOW_PADDING_PX <= end;
  const right = Math.max(WINDOW_PADDING_PX, innerWidth - width - WINDOW_PADDING_PX);
  toolbar.style.top = `${(isRoom ? below : caret.top - TOOLBAR_OFFSET_PX - height) - top}px`;
  toolbar.style.left = `${Math.min(Math.max(caret.left - left, WINDOW_PADDING_PX), right)}px`;
}

/** Our own controls that are not to be covered. */
const CONTROLS = ['.recording-bar', '.note-foot', '.notices', '.dictation-panel'];

/** Where they are, in client coordinates, of those in the same tree as an element. */
export function controlsBeside(element: HTMLElement, more: readonly string[] = []): DOMRect[] {
  const root = element.getRootNode() as ParentNode;
  const controls = root.querySelectorAll([...CONTROLS, ...more].join(', '));
  return [...controls].map((control) => control.getBoundingClientRect());
}

const standers = new Set<() => void>();

/** Calls `onChange` when controls of our own have come or gone; the answer ends that. */
export function watchControls(onChange: () => void): () => void {
  standers.add(onChange);
  return () => void standers.delete(onChange);
}

/** Controls have come or gone: what floats steps aside. */
export function tellControls(): void {
  for (const onChange of standers) onChange();
}

/** Distance above a keyboard: `--space-3`. */
const GAP_PX = 12;

/**
 * Shows an element of the window's lower edge on top of all, as `showOnTop`, and above an on-screen
 * keyboard that covers that edge. iOS, and Android unless the page asks for more, keep the window's
 * size and report only here how much of it is visible. A ref callback.
 */
export function showAboveKeyboard(element: HTMLElement | null): () => void {
  showOnTop(element);
  const listening = new AbortController();
  const seen = window.visualViewport;
  if (!(element && seen)) return () => {};

  const place = (): void => {
    const { style } = element;
    style.translate = '';
    // Measured, since no browser tells the height of the window for `fixed` elements.
    const edge = element.getBoundingClientRect().bottom - fixedOrigin(element).top;
    const coveredPx = edge + GAP_PX - seen.offsetTop - seen.height;
    const isCovered = coveredPx >= 1;
    if (isCovered) style.translate = `0 ${-coveredPx}px`;
    style.maxHeight = isCovered ? `${seen.height - 2 * GAP_PX}px` : '';
  };
  place();
  for (const type of ['resize', 'scroll']) {
    seen.addEventListener(type, place, { signal: listening.signal });
  }
  return () => listening.abort();
}
