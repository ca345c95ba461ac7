import { activeElementOf, isSeen, selectionOf } from './dom.ts';

const FOCUS_EVENTS = ['focus', 'blur', 'focusin', 'focusout'] as const;

/**
 * Runs `edit` with the focus on the element, and then puts focus and selection back, all in one go:
 * nobody sees a focus event, no key press can fall between. A `change` event that is due in the
 * other field comes now instead of later; it is let through, or it would be lost.
 *
 * Answers null, with `edit` not run, when that can't be done: the element can't be focused (hidden,
 * inert, behind a modal dialog), or another frame has the focus, which could not be given back.
 */
export function withBorrowedFocus<T>(element: HTMLElement, edit: () => T): T | null {
  // One that has just been hidden keeps the focus until the page is drawn, and takes no text.
  if (activeElementOf(element) === element) return isSeen(element) ? edit() : null;
  const page = element.ownerDocument;
  const outermost = page.activeElement;
  if (isFocusInAnotherFrame(page)) return null;
  return withoutFocusEvents(page.defaultView, () => {
    const giveBackSelection = holdSelection(element);
    element.focus({ preventScroll: true });
    try {
      if (activeElementOf(element) !== element) return null;
      const result = edit();
      giveBackSelection();
      return result;
    } finally {
      giveBackFocus(element, outermost);
    }
  });
}

/**
 * Has an input method commit the word that it composes, as a press elsewhere in the page does: the
 * focus is taken away and given back in one go. No focus event reaches the page.
 */
export function renewFocus(element: HTMLElement): void {
  if (activeElementOf(element) !== element) return;
  withoutFocusEvents(element.ownerDocument.defaultView, () => {
    element.blur();
    element.focus({ preventScroll: true });
  });
}

/**
 * True if a frame in the page, or one around it, has the focus: it could not be given back there.
 */
export function isFocusInAnotherFrame(page: Document): boolean {
  if (page.activeElement?.localName === 'iframe') return true;
  const view = page.defaultView;
  return view !== null && view !== view.top && !page.hasFocus();
}

/** Lexical draws at once, Slate when React comes to it. */
const EDITOR_DRAWS_WITHIN_MS = 100;

/**
 * Waits for an editor to draw the text that it took, a little later. The focus that it takes with it
 * is put back: nobody sees a focus event, no key press can fall between.
 */
export async function untilEditorDrew(element: HTMLElement): Promise<void> {
  const page = element.ownerDocument;
  const isElsewhere = activeElementOf(element) !== element;
  const outermost = page.activeElement;
  const giveBackSelection = holdSelection(element);
  const showEvents = hideEvents(page.defaultView, FOCUS_EVENTS);
  try {
    await drawing(element);
    if (!isElsewhere || activeElementOf(element) !== element) return;
    giveBackSelection();
    giveBackFocus(element, outermost);
  } finally {
    showEvents();
  }
}

/**
 * Gives the focus back that an editor takes when it draws what was put in, a frame later: Trix sets
 * its selection then, and a browser takes the focus with that. Whatever the user does ends it.
 */
export function keepFocusFrom(element: HTMLElement): void {
  const page = element.ownerDocument;
  const holder = page.activeElement;
  if (!element.isContentEditable || activeElementOf(element) === element) return;
  const giveBackSelection = holdSelection(element);
  const watching = new AbortController();
  const options = { signal: watching.signal, capture: true };
  const end = (): void => watching.abort();
  for (const type of ['pointerdown', 'keydown']) page.addEventListener(type, end, options);
  const giveBack = (): void => {
    end();
    giveBackSelection();
    giveBackFocus(element, holder);
  };
  element.addEventListener('focus', giveBack, options);
  setTimeout(end, EDITOR_DRAWS_WITHIN_MS);
}

/** Fulfilled in the very task in which what the element holds is changed. */
function drawing(element: HTMLElement): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      observer.disconnect();
      clearTimeout(timer);
      resolve();
    };
    const observer = new MutationObserver(end);
    observer.observe(element, { childList: true, characterData: true, subtree: true });
    const timer = setTimeout(end, EDITOR_DRAWS_WITHIN_MS);
  });
}

function withoutFocusEvents<T>(view: Window | null, run: () => T): T {
  const showEvents = hideEvents(view, FOCUS_EVENTS);
  try {
    return run();
  } finally {
    showEvents();
  }
}

/** Nobody in the page hears of events of these types until the answer is called. */
export function hideEvents(view: Window | null, types: readonly string[]): () => void {
  const hiding = new AbortController();
  const options = { signal: hiding.signal, capture: true };
  const swallow = (event: Event) => event.stopImmediatePropagation();
  for (const type of types) view?.addEventListener(type, swallow, options);
  return () => hiding.abort();
}

/** A selection in the element itself is the editor's business: it moves with the text. */
function holdSelection(element: HTMLElement): () => void {
  const selection = selectionOf(element);
  if (selection === null) return () => {};
  const { anchorNode, anchorOffset, focusNode, focusOffset } = selection;
  if (anchorNode !== null && element.contains(anchorNode)) return () => {};
  return () => {
    if (anchorNode === null || focusNode === null) selection.removeAllRanges();
    else selection.setBaseAndExtent(anchorNode, anchorOffset, focusNode, focusOffset);
  };
}

function giveBackFocus(element: HTMLElement, holder: Element | null): void {
  const inner = deepest(holder);
  if (inner === null || inner === element.ownerDocument.body) element.blur();
  else if ('focus' in inner && typeof inner.focus === 'function') {
    inner.focus({ preventScroll: true });
  }
}

function deepest(holder: Element | null): Element | null {
  let inner = holder;
  while (inner?.shadowRoot?.activeElement) inner = inner.shadowRoot.activeElement;
  return inner;
}
