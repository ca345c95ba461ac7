import { caretRect, clientBox, parentOf } from './caret-rect.ts';
import { isGecko, isTextControl } from './dom.ts';

/**
 * Runs `edit` and puts back every scroll position around the element and its own. Chromium's
 * editing commands don't scroll; other browsers bring the caret into view, also where the user does
 * not look.
 */
export function withScrollKept<T>(element: HTMLElement, edit: () => T): T {
  const putBack = holdScroll(element);
  const result = edit();
  putBack();
  return result;
}

/**
 * Returns a function that puts back every scroll position around the element, and its own, as they
 * are now. With `stopsSmooth` it also stops a smooth scroll that has just begun.
 */
function holdScroll(element: HTMLElement): (stopsSmooth?: boolean) => void {
  const positions = areasAround(element).map((area) => ({
    area,
    left: area.scrollLeft,
    top: area.scrollTop,
  }));
  return (stopsSmooth = false) => {
    for (const { area, left, top } of positions) {
      const hasMoved = area.scrollLeft !== left || area.scrollTop !== top;
      if (hasMoved || (stopsSmooth && isSmooth(area))) scroll(area, left, top);
    }
  };
}

/**
 * Runs `edit` and, if the caret could be seen before, scrolls as little as needed to have it seen
 * after: the browser does so for typing, but Chromium not for editing commands. If it could not,
 * the view stays: Firefox brings the caret into it when it draws the next frame, before it is seen.
 */
export function withCaretInView<T>(element: HTMLElement, edit: () => T): T {
  const areas = areasAround(element).filter(clips);
  const before = caretRect(element);
  const wasSeen = areas.every((area) => {
    const { x, y } = beyond(area, middleOf(before));
    return x === 0 && y === 0;
  });
  const putBack = holdScroll(element);
  const result = edit();
  if (!wasSeen && isGecko()) requestAnimationFrame(() => putBack(true));
  if (wasSeen) {
    for (const area of areas) {
      // Anew each time: an inner area may have moved the caret already.
      const { x, y } = beyond(area, caretRect(element));
      if (x !== 0 || y !== 0) scroll(area, area.scrollLeft + x, area.scrollTop + y);
    }
  }
  return result;
}

/** The element and its ancestors, the innermost first. */
function areasAround(element: HTMLElement): Element[] {
  const areas: Element[] = [];
  for (let area: Element | null = element; area !== null; area = parentOf(area)) areas.push(area);
  return areas;
}

function clips(area: Element): boolean {
  if (isPage(area) || isTextControl(area)) return true;
  const { overflowX, overflowY } = getComputedStyle(area);
  return overflowX !== 'visible' || overflowY !== 'visible';
}

/** A caret's distance outside the shown part of an area, in client pixels; 0 if it is inside. */
function beyond(area: Element, caret: DOMRect): { x: number; y: number } {
  const view = isPage(area)
    ? new DOMRect(0, 0, area.clientWidth, area.clientHeight)
    : clientBox(area);
  return {
    x: overshoot(caret.left, caret.right, view.left, view.right),
    y: overshoot(caret.top, caret.bottom, view.top, view.bottom),
  };
}

/** A font may be higher than its line, and the caret of a first line reach out of its field. */
function middleOf({ x, top, bottom }: DOMRect): DOMRect {
  return new DOMRect(x, (top + bottom) / 2, 0, 0);
}

function overshoot(start: number, end: number, viewStart: number, viewEnd: number): number {
  if (end > viewEnd) return Math.ceil(end - viewEnd);
  return start < viewStart ? Math.floor(start - viewStart) : 0;
}

/** Instantly: an area that scrolls smoothly would still be on its way. */
function scroll(area: Element, left: number, top: number): void {
  area.scrollTo({ left, top, behavior: 'instant' });
  // WebKit scrolls no input that way.
  if (area.localName === 'input') area.scrollLeft = left;
}

function isSmooth(area: Element): boolean {
  return getComputedStyle(area).scrollBehavior === 'smooth';
}

function isPage(area: Element): boolean {
  return area === area.ownerDocument.scrollingElement;
}
