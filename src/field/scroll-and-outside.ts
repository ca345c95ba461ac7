/** Animation frames after an input in which scrolling is the browser following the caret. */
const FOLLOWING_FRAMES = 2;

/**
 * Calls `onScroll` when an area around the element scrolls: any ancestor or the window. The
 * element's own scrolling is not told, nor what the browser does by itself to keep the caret in
 * view while the user types. Returns the end of the watch.
 */
export function watchEnclosingScroll(element: HTMLElement, onScroll: () => void): () => void {
  const listening = new AbortController();
  const { signal } = listening;
  const page = element.ownerDocument;
  let frame = 0;

  const followCaret = (framesLeft: number) => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => {
      frame = 0;
      if (framesLeft > 1) followCaret(framesLeft - 1);
    });
  };
  element.addEventListener('input', () => followCaret(FOLLOWING_FRAMES), { signal });
  // Scroll events don't bubble; the capture phase sees them all.
  page.addEventListener(
    'scroll',
    ({ target }) => {
      const isAround = target === page || (isNode(target) && isInside(element, target));
      if (isAround && frame === 0) onScroll();
    },
    { capture: true, passive: true, signal },
  );
  return () => {
    listening.abort();
    cancelAnimationFrame(frame);
  };
}

/**
 * Calls `onOutside` when a pointer goes down outside of all the given elements: the field and what
 * belongs to it, such as its toolbar. `inside` is asked each time; what is not there may be null.
 * Returns the end of the watch.
 */
export function watchPointerDownOutside(
  page: Document,
  inside: () => readonly (Element | null)[],
  onOutside: () => void,
): () => void {
  const listening = new AbortController();
  page.addEventListener(
    'pointerdown',
    (event) => {
      const path = event.composedPath();
      if (!inside().some((element) => element !== null && path.includes(element))) onOutside();
    },
    { capture: true, signal: listening.signal },
  );
  return () => listening.abort();
}

/** Whether the element is a descendant of the area, through shadow trees too. */
function isInside(element: Element, area: Node): boolean {
  for (let node: Node | null = element; node !== null; node = parentAcross(node)) {
    if (node === area) return node !== element;
  }
  return false;
}

function parentAcross(node: Node): Node | null {
  if (node.parentNode !== null) return node.parentNode;
  return 'host' in node && isNode(node.host) ? node.host : null;
}

function isNode(value: unknown): value is Node {
  return value instanceof Node;
}
