import { isFocusInAnotherFrame } from './borrowed-focus.ts';
import type { EditableField } from './editable-field.ts';
import { isSeen } from './is-seen.ts';
import { acceptsText } from './node-kinds.ts';

/** What styles do is told by nobody: an element that is shown again is looked for this often. */
const LOOK_MS = 500;

/** What may let a text in again, or keep it out. */
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

  const look = (): boolean => {
    const before = wasReachable;
    wasReachable = isReachable(field);
    return wasReachable && !before;
  };
  const lookNow = (): void => {
    look();
    if (wasReachable) onReachable();
  };
  // When what the event is about has happened.
  const lookSoon = (): void => void setTimeout(() => listening.signal.aborted || lookNow());

  for (const type of ['focusin', 'focusout', 'compositionend', 'visibilitychange']) {
    page.addEventListener(type, lookSoon, options);
  }
  page.defaultView?.addEventListener('focus', lookSoon, options);
  const observer = new MutationObserver(lookNow);
  observer.observe(page, { attributes: true, attributeFilter: ATTRIBUTES, subtree: true });
  const timer = setInterval(() => look() && onReachable(), LOOK_MS);
  return () => {
    listening.abort();
    observer.disconnect();
    clearInterval(timer);
  };
}

function isReachable({ element, isComposing }: EditableField): boolean {
  return (
    element.isConnected &&
    !isComposing &&
    acceptsText(element) &&
    isSeen(element) &&
    !isFocusInAnotherFrame(element.ownerDocument)
  );
}
