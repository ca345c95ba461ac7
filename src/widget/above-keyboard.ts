import { fixedOrigin } from './fixed-origin.ts';
import { showOnTop } from './top-layer.ts';

/** So near it comes to a keyboard: `--space-3`. */
const GAP_PX = 12;

/**
 * Shows what stands at the window's lower edge on top of all, as `showOnTop`, and above a keyboard
 * that covers that edge: iOS, and Android where the page does not ask for more, leave the window as
 * large as it was, and say only here how much of it is seen. A ref callback.
 */
export function showAboveKeyboard(element: HTMLElement | null): () => void {
  showOnTop(element);
  const listening = new AbortController();
  const seen = window.visualViewport;
  if (!(element && seen)) return () => {};

  const place = (): void => {
    const { style } = element;
    style.translate = '';
    // Measured: no browser says how high the window is for what is fixed to it.
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
