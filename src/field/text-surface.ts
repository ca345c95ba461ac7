import { DikteraError } from '../core/errors.ts';
import {
  acceptsText,
  activeElementOf,
  isTextControl,
  selectionOf,
  type TextControl,
} from './dom.ts';
import { type DomPoint, readTextMap } from './text-map.ts';

/** A selection as offsets in a surface's text (UTF-16 units); they are equal for a caret. */
export type TextSelection = {
  /** The end where it was begun. */
  readonly anchor: number;
  /** The end with the caret; may be before the anchor. */
  readonly focus: number;
};

/** The place of a saved cursor now; `start < end` if the text selected then is to be replaced. */
export type CursorPlace = { readonly start: number; readonly end: number };

/** One change of a text: at `start`, `removed` units gave way to `inserted` units (UTF-16). */
export type TextEdit = {
  readonly start: number;
  readonly removed: number;
  readonly inserted: number;
};

/**
 * An editable element seen as one string: what a text area is by nature, and a `contenteditable`
 * through its text map. All editing here goes by it and by the browser's own editing commands.
 */
export type TextSurface = {
  readonly element: HTMLElement;
  /** False for an input: newlines become spaces. */
  readonly isMultiline: boolean;
  /** True if the user could type here now: not read-only, not disabled. */
  isEditable(): boolean;
  /** True while an input method composes of which the document hears no event. @default never */
  isComposing?(): boolean;
  /** The most UTF-16 units the text may have; Infinity if there is no limit. */
  maxLength(): number;
  /** The text as offsets count it. */
  readText(): string;
  /** The text as the user would copy it. */
  visibleText(): string;
  /** The selection, null when it is not wholly inside; a text control always has one. */
  readSelection(): TextSelection | null;
  /** The last selection inside, kept by the browser when the user went elsewhere. */
  lastSelection(): TextSelection | null;
  /**
   * Sets the selection, the element having the focus. Ends the browser's typing: a new undo step
   * begins.
   */
  select(selection: TextSelection): void;
  /**
   * Calls `onChange` after each change of the text that can be seen, the user's or the page's; with
   * the edits, each in the text that those before it have left, where they are known.
   */
  watch(onChange: (edits?: readonly TextEdit[]) => void): () => void;
  /**
   * Puts text in place of a range, by a transaction of an editor that keeps its own document: one
   * undo step. Left out, the text is typed into the element.
   */
  replace?(place: CursorPlace, text: string): void;
  /**
   * The text offset nearest to a point of the window, for drops; null if the browser can't tell.
   */
  offsetAtPoint(clientX: number, clientY: number): number | null;
  /** Stops listening to the document. */
  dispose(): void;
};

/** The offsets in order. */
export function selectionRange({ anchor, focus }: TextSelection): { start: number; end: number } {
  return { start: Math.min(anchor, focus), end: Math.max(anchor, focus) };
}

/**
 * True if one can dictate into an element: a text area, an input of type text, search, tel, url,
 * email or number, an element with `contenteditable`. It may be read-only for now.
 */
export function canDictate(element: Element | null | undefined): element is HTMLElement {
  if (!element) return false;
  if (isTextControl(element)) return true;
  // A field may be read-only for now, with the attribute set to false; jsdom knows the attribute alone.
  const { click, isContentEditable } = element as Partial<HTMLElement>;
  return !!click && (isContentEditable || element.hasAttribute('contenteditable'));
}

/** The surface of an element; throws as `createEditableField` does. */
export function createTextSurface(element: HTMLElement): TextSurface {
  if (isTextControl(element)) return createTextControlSurface(element);
  const isEditable: boolean = canDictate(element);
  if (isEditable) return createContentEditableSurface(element);
  const type = element.localName === 'input' && 'type' in element ? ` type="${element.type}"` : '';
  throw new DikteraError(
    'bad-option',
    `Text can't be dictated into <${element.localName}${type}>: see canDictate`,
  );
}

/** A text area, or an input, as a surface. */
function createTextControlSurface(element: TextControl): TextSurface {
  const readSelection = (): TextSelection => {
    const start = element.selectionStart ?? 0;
    // An input that hides its caret, as email and number do, counts as wholly selected.
    const end = element.selectionEnd ?? element.value.length;
    return element.selectionDirection === 'backward'
      ? { anchor: end, focus: start }
      : { anchor: start, focus: end };
  };
  return {
    element,
    isMultiline: element.localName === 'textarea',
    isEditable: () => acceptsText(element),
    maxLength: () => (element.maxLength < 0 ? Number.POSITIVE_INFINITY : element.maxLength),
    readText: () => element.value,
    visibleText: () => element.value,
    readSelection,
    lastSelection: readSelection,
    select(selection) {
      if (activeElementOf(element) !== element) element.focus({ preventScroll: true });
      const { start, end } = selectionRange(selection);
      // Its caret stays where it is: selected, all of it would give way to the next key.
      if (element.selectionStart === null) return;
      const isBackward = selection.focus < selection.anchor;
      element.setSelectionRange(start, end, isBackward ? 'backward' : 'forward');
    },
    watch(onChange) {
      // A value set by script fires no event; the saved cursors compare once more before use.
      const onInput = (): void => onChange();
      element.addEventListener('input', onInput);
      return () => element.removeEventListener('input', onInput);
    },
    offsetAtPoint(clientX, clientY) {
      const position = element.ownerDocument.caretPositionFromPoint?.(clientX, clientY);
      return position?.offsetNode === element ? position.offset : null;
    },
    dispose() {},
  };
}

/** An element with `contenteditable`, rich or `plaintext-only`, as a surface. */
export function createContentEditableSurface(element: HTMLElement): TextSurface {
  const listening = new AbortController();
  const page = element.ownerDocument;
  /**
   * The browser moves a range with the DOM, which is near enough for the user's last place.
   */
  let lastInside: Range | null = null;

  const read = (anchor: DomPoint, focus: DomPoint): TextSelection | null => {
    const map = readTextMap(element);
    const offsets = { anchor: map.offsetOf(anchor), focus: map.offsetOf(focus) };
    return isWhole(offsets) ? offsets : null;
  };
  const readSelection = () => {
    const points = selectionPoints(element);
    return points === null ? null : read(points.anchor, points.focus);
  };
  const remember = () => {
    if (selectionPoints(element) !== null) {
      lastInside = selectionOf(element)?.getRangeAt(0).cloneRange() ?? null;
    }
  };
  page.addEventListener('selectionchange', remember, { signal: listening.signal });
  remember();

  return {
    element,
    isMultiline: true,
    isEditable: () => acceptsText(element),
    maxLength: () => Number.POSITIVE_INFINITY,
    readText: () => readTextMap(element).text,
    visibleText: () => readTextMap(element).wholeText(),
    readSelection,
    lastSelection() {
      const current = readSelection();
      if (current !== null || lastInside === null) return current;
      const { startContainer, startOffset, endContainer, endOffset } = lastInside;
      return read(
        { node: startContainer, offset: startOffset },
        { node: endContainer, offset: endOffset },
      );
    },
    select({ anchor, focus }) {
      if (activeElementOf(element) !== element) element.focus({ preventScroll: true });
      const map = readTextMap(element);
      const from = map.pointAt(anchor);
      const to = map.pointAt(focus);
      selectionOf(element)?.setBaseAndExtent(from.node, from.offset, to.node, to.offset);
      // The event comes later, when the selection may be in another element again.
      remember();
    },
    watch(onChange) {
      // Called right after each key press, when the caret still says where the change was.
      const observer = new MutationObserver(() => onChange());
      observer.observe(element, { childList: true, characterData: true, subtree: true });
      return () => observer.disconnect();
    },
    offsetAtPoint(clientX, clientY) {
      const point = pointUnder(page, clientX, clientY);
      return point && readTextMap(element).offsetOf(point);
    },
    dispose: () => listening.abort(),
  };
}

function pointUnder(page: Document, clientX: number, clientY: number): DomPoint | null {
  const position = page.caretPositionFromPoint?.(clientX, clientY);
  if (position) return { node: position.offsetNode, offset: position.offset };
  // Safari before 18.4 has only this; of a text control it tells nothing.
  const range = page.caretRangeFromPoint?.(clientX, clientY);
  return range ? { node: range.startContainer, offset: range.startOffset } : null;
}

type OffsetPair = { readonly anchor: number | null; readonly focus: number | null };

function isWhole(offsets: OffsetPair): offsets is TextSelection {
  return offsets.anchor !== null && offsets.focus !== null;
}

/** The selection's two points when both lie in the element. */
function selectionPoints(element: HTMLElement): { anchor: DomPoint; focus: DomPoint } | null {
  const selection = selectionOf(element);
  if (selection === null) return null;
  const { anchorNode, anchorOffset, focusNode, focusOffset } = selection;
  if (anchorNode === null || focusNode === null) return null;
  if (!(element.contains(anchorNode) && element.contains(focusNode))) return null;
  return {
    anchor: { node: anchorNode, offset: anchorOffset },
    focus: { node: focusNode, offset: focusOffset },
  };
}

/**
 * Makes `text` all there is in a `contenteditable`, as a program sets the value of an input: not
 * undone, no `input` event. A caret in it stays at its offset, or at the end of a shorter text.
 * Saved cursors follow as they follow any change. Does nothing when the text is there already.
 */
export function replaceText(element: HTMLElement, text: string): void {
  const surface = createContentEditableSurface(element);
  try {
    if (surface.visibleText() === text) return;
    const users = activeElementOf(element) === element ? surface.readSelection() : null;
    // A newline at the very end only holds the last line open: it takes a second one to be seen.
    element.textContent = text.endsWith('\n') ? `${text}\n` : text;
    if (users !== null) surface.select(users);
  } finally {
    surface.dispose();
  }
}
