import { caretRect } from './caret-rect.ts';
import { isTextControl } from './node-kinds.ts';

/**
 * Runs `edit` and puts back every scroll position around the element and its own. Chromium's
 * editing commands don't scroll; other browsers bring the caret into view, also where the user does
 * not look.
 */
export function withScrollKept<T>(element: HTMLElement, edit: () => T): T {
  const positions = areasAround(element).map((area) => ({
    area,
    left: area.scrollLeft,
    top: area.scrollTop,
  }));
  const result = edit();
  for (const { area, left, top } of positions) {
    if (area.scrollLeft !== left || area.scrollTop !== top) scroll(area, left, top);
  }
  return result;
}

/**
 * Runs `edit` and, if the caret could be seen before, scrolls as little as needed to have it seen
 * after: the browser does so for typing, but Chromium not for editing commands.
 */
export function withCaretInView<T>(element: HTMLElement, edit: () => T): T {
  const areas = areasAround(element).filter(clips);
  const before = caretRect(element);
  const wasSeen = areas.every((area) => {
    const { x, y } = beyond(area, before);
    return x === 0 && y === 0;
  });
  const result = edit();
  if (wasSeen) {
    for (const area of areas) {
      // Anew each time: an inner area may have moved the caret already.
      const { x, y } = beyond(area, caretRect(element));
      if (x !== 0 || y !== 0) scroll(area, area.scrollLeft + x, area.scrollTop + y);
    }
  }
  return result;
}

/** The element and all around it, the innermost first. */
function areasAround(element: HTMLElement): Element[] {
  const areas: Element[] = [];
  for (let area: Element | null = element; area !== null; area = parentOf(area)) areas.push(area);
  return areas;
}

function parentOf(element: Element): Element | null {
  if (element.parentElement !== null) return element.parentElement;
  const root = element.getRootNode();
  return 'host' in root && root.host instanceof Element ? root.host : null;
}

function clips(area: Element): boolean {
  if (isPage(area) || isTextControl(area)) return true;
  const { overflowX, overflowY } = getComputedStyle(area);
  return overflowX !== 'visible' || overflowY !== 'visible';
}

/** How far a caret lies outside what an area shows, in client pixels; 0 if it is inside. */
function beyond(area: Element, caret: DOMRect): { x: number; y: number } {
  const view = isPage(area)
    ? new DOMRect(0, 0, area.clientWidth, area.clientHeight)
    : area.getBoundingClientRect();
  return {
    x: overshoot(caret.left, caret.right, view.left, view.right),
    y: overshoot(caret.top, caret.bottom, view.top, view.bottom),
  };
}

function overshoot(start: number, end: number, viewStart: number, viewEnd: number): number {
  if (end > viewEnd) return Math.ceil(end - viewEnd);
  return start < viewStart ? Math.floor(start - viewStart) : 0;
}

/** Instantly: an area that scrolls smoothly would still be on its way. */
function scroll(area: Element, left: number, top: number): void {
  area.scrollTo({ left, top, behavior: 'instant' });
}

function isPage(area: Element): boolean {
  return area === area.ownerDocument.scrollingElement;
}
