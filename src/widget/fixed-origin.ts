/**
 * Where the corner is from which a `fixed` element is placed, in the coordinates that elements are
 * measured in; its size is the element's. It is 0, 0 but in WebKit, which measures from what is seen
 * of the window: zoomed, or moved to clear a keyboard, that is another corner.
 */
export function fixedOrigin(element: HTMLElement): DOMRect {
  const { inset } = element.style;
  element.style.inset = '0 auto auto 0';
  const origin = element.getBoundingClientRect();
  element.style.inset = inset;
  return origin;
}
