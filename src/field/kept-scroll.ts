/**
 * Runs `edit` and puts back every scroll position around the element and its own: editing commands
 * scroll the caret into view, also one that is not where the user looks.
 */
export function withScrollKept<T>(element: HTMLElement, edit: () => T): T {
  const positions: [area: Element, left: number, top: number][] = [];
  for (let area: Element | null = element; area !== null; area = parentOf(area)) {
    positions.push([area, area.scrollLeft, area.scrollTop]);
  }
  const result = edit();
  for (const [area, left, top] of positions) {
    if (area.scrollLeft === left && area.scrollTop === top) continue;
    // Instant: an area that scrolls smoothly would still be on its way.
    area.scrollTo({ left, top, behavior: 'instant' });
  }
  return result;
}

function parentOf(element: Element): Element | null {
  if (element.parentElement !== null) return element.parentElement;
  const root = element.getRootNode();
  return 'host' in root && root.host instanceof Element ? root.host : null;
}
