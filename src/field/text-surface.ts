/** A selection as offsets in a surface's text (UTF-16 units); equal when it is a caret. */
export type TextSelection = {
  /** Where it was begun. */
  readonly anchor: number;
  /** Where it ends and the caret stands; may be before the anchor. */
  readonly focus: number;
};

/**
 * An editable element seen as one string: what a text area is by nature, and a `contenteditable`
 * through its text map. All editing here goes by it and by the browser's own editing commands.
 */
export type TextSurface = {
  readonly element: HTMLElement;
  /** False for an input: newlines become spaces. */
  readonly isMultiline: boolean;
  /** Whether the user could type here now: not read-only, not disabled. */
  isEditable(): boolean;
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
  /** Calls `onChange` after each change of the text, whoever made it, as far as it can be seen. */
  watch(onChange: () => void): () => void;
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
