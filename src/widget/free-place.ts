import { clientBox } from '../field/caret-rect.ts';
import { caretOffset, textRects } from '../field/text-lines.ts';
import { controlsBeside, TOOLBAR_OFFSET_PX, WINDOW_PADDING_PX } from './on-top.ts';

/** Distance from the field's edge, inside or outside of it. */
export const EDGE_PX = 4;

/** A part of the window, in client coordinates. */
export type Box = Pick<DOMRect, 'left' | 'top' | 'right' | 'bottom'>;

type Size = { readonly width: number; readonly height: number };

type Surroundings = {
  /** The line that is being written. */
  readonly caret: Box;
  readonly isRightToLeft: boolean;
  /** The visible part of the field. */
  readonly field: Box;
  readonly window: Box;
  /** Lines of text and our own controls, which must not be covered. */
  readonly taken: readonly Box[];
};

/** A place for something beside the caret. */
export type FreePlace = { readonly left: number; readonly top: number };

/**
 * A place 27 px under the caret, else above it, else at the field's edge: the first at which nothing
 * is covered, within the window and no further out than the field is wide. Null if there is none.
 */
export function freePlace(size: Size, surroundings: Surroundings): FreePlace | null {
  const { caret, isRightToLeft, field, window, taken } = surroundings;
  const { left, right } = field;
  const line: Box = { left, top: caret.top, right, bottom: caret.bottom };
  const from = (start: number): number => within(start, field, window, size.width);
  const beside = from(isRightToLeft ? caret.left - size.width : caret.left);
  const atEnd = from(isRightToLeft ? left : right);
  const inside = atEnd + (isRightToLeft ? EDGE_PX : -EDGE_PX);
  const places: readonly FreePlace[] = [
    { left: beside, top: caret.bottom + TOOLBAR_OFFSET_PX },
    { left: beside, top: caret.top - TOOLBAR_OFFSET_PX - size.height },
    { left: inside, top: field.bottom - EDGE_PX - size.height },
    { left: inside, top: field.top + EDGE_PX },
    { left: atEnd, top: field.bottom + EDGE_PX },
    { left: atEnd, top: field.top - EDGE_PX - size.height },
  ];
  const isFree = ({ left, top }: FreePlace): boolean => {
    const box = { left, top, right: left + size.width, bottom: top + size.height };
    return isInside(box, window) && ![line, ...taken].some((other) => overlaps(box, other));
  };
  return places.find(isFree) ?? null;
}

/** From `left` on, or as far before it as the field or the window ends. */
function within(left: number, field: Box, window: Box, width: number): number {
  const last = Math.min(field.right, window.right - WINDOW_PADDING_PX) - width;
  return Math.max(Math.min(left, last), field.left, window.left + WINDOW_PADDING_PX);
}

function isInside(box: Box, window: Box): boolean {
  return (
    box.top >= window.top + WINDOW_PADDING_PX && box.bottom <= window.bottom - WINDOW_PADDING_PX
  );
}

/** The part that two have in common; turned inside out, and so on nothing, where there is none. */
export function common(one: Box, other: Box): Box {
  return {
    left: Math.max(one.left, other.left),
    top: Math.max(one.top, other.top),
    right: Math.min(one.right, other.right),
    bottom: Math.min(one.bottom, other.bottom),
  };
}

/** A shared edge is none, nor is what a pixel grid rounds. */
export function overlaps(one: Box, other: Box): boolean {
  const { left, top, right, bottom } = common(one, other);
  return right - left > 1 && bottom - top > 1;
}

/** The visible part of the window: smaller with an on-screen keyboard, or zoomed in. */
export function visibleWindow(): Box {
  const {
    offsetLeft: left,
    offsetTop: top,
    width,
    height,
  } = window.visualViewport ?? {
    offsetLeft: 0,
    offsetTop: 0,
    width: innerWidth,
    height: innerHeight,
  };
  return { left, top, right: left + width, bottom: top + height };
}

/**
 * A place for the toolbar of an element, fitted to its width; null where all there is is text. A
 * finger finds it at the window's end then: there is no key for it.
 */
export function stepAside(
  element: HTMLElement,
  caret: DOMRect,
  toolbar: HTMLElement,
): FreePlace | null {
  const box = clientBox(element);
  const window = visibleWindow();
  const field = common(box, window);
  fitInto(toolbar, field.right - field.left);
  const taken = [
    ...controlsBeside(toolbar),
    ...textRects(element, caretOffset(element)).map((line) => common(line, box)),
  ];
  const size = toolbar.getBoundingClientRect();
  const isRightToLeft = getComputedStyle(element).direction === 'rtl';
  const place = freePlace(size, { caret, isRightToLeft, field, window, taken });
  if (place || !matchMedia('(pointer: coarse)').matches) return place;
  return {
    left: window.right - WINDOW_PADDING_PX - size.width,
    top: window.bottom - WINDOW_PADDING_PX - size.height,
  };
}

/** Leaves away what is too wide: first the words of its buttons, then all but the first. */
function fitInto(toolbar: HTMLElement, widthPx: number): void {
  for (const fit of ['all', 'icons', 'first']) {
    toolbar.dataset.fit = fit;
    if (toolbar.getBoundingClientRect().width <= widthPx) return;
  }
}
