import { isFocusInAnotherFrame } from './borrowed-focus.ts';
import { acceptsText, activeElementOf, isSeen } from './dom.ts';
import type { EditableField } from './editable-field.ts';

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

/** True if the element is a descendant of the area, through shadow trees too. */
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

/**
 * Calls `onRemoved` when the element has left the document: it says nothing by itself, not even
 * when it had the focus. One that is only moved has not left. Returns the end of the watch.
 */
export function watchRemoval(element: HTMLElement, onRemoved: () => void): () => void {
  const observer = new MutationObserver(() => {
    if (!element.isConnected) onRemoved();
  });
  // An observer of a document does not see into its shadow trees, nor the reverse.
  const scopes = new Set<Node>([element.ownerDocument]);
  for (
    let root = element.getRootNode();
    'host' in root;
    root = (root.host as Element).getRootNode()
  ) {
    scopes.add(root);
  }
  for (const scope of scopes) observer.observe(scope, { childList: true, subtree: true });
  return () => observer.disconnect();
}

/** Styles fire no events: an element that is shown again is looked for this often. */
const CHECK_MS = 500;

/** Attributes that may let a text in again, or keep it out. */
const ATTRIBUTES = ['contenteditable', 'disabled', 'readonly', 'inert', 'hidden', 'open'];

/**
 * Calls `onReachable` when text may go into a field again that did not take it: the focus has come
 * back from a frame, an input method has done, the element can be seen or edited again. It may be
 * called in vain. Returns the end of the watch.
 */
export function watchReachable(field: EditableField, onReachable: () => void): () => void {
  const { element } = field;
  const page = element.ownerDocument;
  const listening = new AbortController();
  const options = { signal: listening.signal, capture: true };
  let wasReachable = isReachable(field);

  /** `isDue`: something has happened, though it may have been reachable before. */
  const look = (isDue: boolean): void => {
    const before = wasReachable;
    wasReachable = isReachable(field);
    if (wasReachable && (isDue || !before)) onReachable();
  };
  // The event comes before the change that it is about.
  const checkSoon = (): void => void setTimeout(() => listening.signal.aborted || look(true));

  for (const type of ['focusin', 'focusout', 'compositionend', 'visibilitychange']) {
    page.addEventListener(type, checkSoon, options);
  }
  page.defaultView?.addEventListener('focus', checkSoon, options);
  const observer = new MutationObserver(() => look(true));
  observer.observe(page, { attributes: true, attributeFilter: ATTRIBUTES, subtree: true });
  const timer = setInterval(look, CHECK_MS, false);
  return () => {
    listening.abort();
    observer.disconnect();
    clearInterval(timer);
  };
}

/** True if the user may change a field's text now. */
export function takesText(field: EditableField): boolean {
  return field.isEditable?.() ?? acceptsText(field.element);
}

function isReachable(field: EditableField): boolean {
  const { element, isComposing } = field;
  return (
    !isComposing &&
    takesText(field) &&
    isSeen(element) &&
    // An editor in a frame is that frame.
    (activeElementOf(element) === element || !isFocusInAnotherFrame(element.ownerDocument))
  );
}
