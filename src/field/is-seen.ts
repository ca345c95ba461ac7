/** Whether an element is drawn and not hidden. */
export function isSeen(element: HTMLElement): boolean {
  return (
    element.checkVisibility?.({ visibilityProperty: true }) ??
    // Safari before 17.4 has no such function.
    (element.getClientRects().length > 0 && getComputedStyle(element).visibility === 'visible')
  );
}
