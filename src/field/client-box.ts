/**
 * Where an element is, in client pixels. In a part with CSS `zoom` WebKit, as Chromium before 128,
 * tells rectangles in that part's own pixels.
 */
export function clientBox(element: Element): DOMRect {
  return inClientPx(element.getBoundingClientRect(), element);
}

/** A rectangle that the browser has told of an element, or of what is in it, in client pixels. */
export function inClientPx(rect: DOMRect, element: Element): DOMRect {
  const zoom = zoomAround(element);
  if (zoom === 1 || tellsClientPx(element.ownerDocument)) return rect;
  return new DOMRect(rect.x * zoom, rect.y * zoom, rect.width * zoom, rect.height * zoom);
}

/** CSS zoom of an element and of all around it. */
export function zoomAround(element: Element): number {
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

function tellsClientPx(page: Document): boolean {
  const probe = page.createElement('div');
  probe.style.cssText = 'all: initial; position: fixed; width: 1px; zoom: 2';
  page.documentElement.append(probe);
  const { width } = probe.getBoundingClientRect();
  probe.style.zoom = '1';
  const isTold = width > probe.getBoundingClientRect().width * 1.5;
  probe.remove();
  return isTold;
}

/** CSS zoom and scaling together: client pixels in a pixel of the element's own. */
export function clientScale(element: HTMLElement, box: DOMRect): number {
  const style = getComputedStyle(element);
  const px = (value: string) => Number.parseFloat(value) || 0;
  const edges = [
    style.paddingLeft,
    style.paddingRight,
    style.borderLeftWidth,
    style.borderRightWidth,
  ];
  const isWhole = style.boxSizing === 'border-box';
  // To a part of a pixel, which `offsetWidth` is not; what is inline has no width of its own.
  const width = px(style.width) + (isWhole ? 0 : edges.reduce((sum, edge) => sum + px(edge), 0));
  const ownPx = style.display === 'inline' || width === 0 ? element.offsetWidth : width;
  return ownPx === 0 ? 1 : box.width / ownPx;
}
