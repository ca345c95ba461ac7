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
