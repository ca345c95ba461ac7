/** Elements that begin a new line and end it. */
export const BLOCK_TAGS: ReadonlySet<string> = new Set(
  (
    'address article aside blockquote center dd details dialog div dl dt fieldset figcaption ' +
    'figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table ' +
    'tbody td tfoot th thead tr ul'
  ).split(' '),
);

const ATOMIC_TAGS: ReadonlySet<string> = new Set(
  (
    'audio button canvas embed hr iframe img input math meter object progress select svg ' +
    'textarea video'
  ).split(' '),
);

/** Elements whose text is not shown. */
export const UNSEEN_TAGS: ReadonlySet<string> = new Set(['script', 'style', 'template']);

/** True if no caret can stand inside: an image, a control, an island the user cannot edit. */
export function isAtomic(element: Element): boolean {
  return ATOMIC_TAGS.has(element.localName) || element.getAttribute('contenteditable') === 'false';
}

/** True if a newline character in the element's text is shown as one. */
export function keepsNewlines(element: Element): boolean {
  // Chromium computes `pre-wrap` for plaintext-only whatever the page says.
  const { whiteSpace } = getComputedStyle(element);
  return whiteSpace.startsWith('pre') || whiteSpace === 'break-spaces';
}

/** A text area, or an input whose value is a text; of email and number no selection can be read. */
export type TextControl = HTMLTextAreaElement | HTMLInputElement;

// By name, not by `instanceof`: the element may belong to another frame's document.

export function isTextControl(element: Element): element is TextControl {
  return element.localName === 'textarea' || isTextInput(element);
}

/**
 * True for an input of type email or number: no script may know where its caret is, and its value is
 * of a form that not every text fits.
 */
export function isValueInput(element: Element): element is HTMLInputElement {
  return element.localName === 'input' && /^(email|number)$/.test(inputType(element));
}

/** True if the user could type into an element now: not read-only, not disabled. */
export function acceptsText(element: HTMLElement): boolean {
  // `:disabled` knows of a disabled fieldset too.
  if (isTextControl(element)) return !(element.readOnly || element.matches(':disabled'));
  return element.isContentEditable;
}

/**
 * True for an invisible text area that takes the keys for an editor which keeps and draws the text
 * elsewhere (Monaco without `editContext`, Ace).
 */
export function standsForEditor(element: HTMLElement): boolean {
  if (element.localName !== 'textarea') return false;
  const { color, opacity } = getComputedStyle(element);
  return opacity === '0' || /^rgba\(.*, 0\)$/.test(color);
}

function isTextInput(element: Element): boolean {
  return (
    element.localName === 'input' && /^(text|search|tel|url|email|number)$/.test(inputType(element))
  );
}

function inputType(element: Element): string {
  return 'type' in element ? String(element.type) : '';
}

export function isText(node: Node): node is Text {
  return node.nodeType === Node.TEXT_NODE;
}

export function isElement(node: Node): node is Element {
  return node.nodeType === Node.ELEMENT_NODE;
}

/** The element that has the focus, as seen from the tree (document or shadow) the element is in. */
export function activeElementOf(element: Element): Element | null {
  const root = element.getRootNode();
  return isScope(root) ? root.activeElement : null;
}

/** The part of a selection that is used here. */
type TreeSelection = Pick<
  Selection,
  | 'anchorNode'
  | 'anchorOffset'
  | 'focusNode'
  | 'focusOffset'
  | 'rangeCount'
  | 'getRangeAt'
  | 'setBaseAndExtent'
  | 'removeAllRanges'
>;

/** The selection as the element's tree sees it: what is in a shadow tree the document hides. */
export function selectionOf(element: Element): TreeSelection | null {
  const root = element.getRootNode();
  // Chromium's; Firefox shows the document's selection inside shadow trees too.
  if (hasGetSelection(root)) return root.getSelection();
  const selection = element.ownerDocument.getSelection();
  return root instanceof ShadowRoot ? selection && composed(selection, root) : selection;
}

/** WebKit shows a selection in a shadow tree only to a caller that names the tree. */
function composed(selection: Selection, root: ShadowRoot): TreeSelection {
  const range = composedRange(selection, root);
  if (!range) return selection;
  const { startContainer, startOffset, endContainer, endOffset } = range;
  const isBackward = selection.direction === 'backward';
  return {
    anchorNode: isBackward ? endContainer : startContainer,
    anchorOffset: isBackward ? endOffset : startOffset,
    focusNode: isBackward ? startContainer : endContainer,
    focusOffset: isBackward ? startOffset : endOffset,
    rangeCount: 1,
    getRangeAt() {
      const live = new Range();
      live.setStart(startContainer, startOffset);
      live.setEnd(endContainer, endOffset);
      return live;
    },
    setBaseAndExtent: (...points) => selection.setBaseAndExtent(...points),
    removeAllRanges: () => selection.removeAllRanges(),
  };
}

function composedRange(selection: Selection, root: ShadowRoot): StaticRange | undefined {
  try {
    return selection.getComposedRanges?.({ shadowRoots: [root] })[0];
  } catch {
    // Safari 17 was told of the trees one by one.
    const told: { getComposedRanges(...roots: unknown[]): StaticRange[] } = selection;
    return told.getComposedRanges(root)[0];
  }
}

/** True if the root of a tree is in a page, and not that of a detached part. */
export function isScope(root: Node): root is Document | ShadowRoot {
  return 'activeElement' in root;
}

function hasGetSelection(root: Node): root is Node & { getSelection(): Selection | null } {
  return 'getSelection' in root;
}

/** True if an element is drawn and not hidden. */
export function isSeen(element: HTMLElement): boolean {
  return (
    element.checkVisibility?.({ visibilityProperty: true }) ??
    // Safari before 17.4 has no such function.
    (element.getClientRects().length > 0 && getComputedStyle(element).visibility === 'visible')
  );
}

/**
 * True in Firefox, whose editing differs in ways that can't be seen before an edit. A property that
 * only its styles have tells; asking about a command of its editor would have Chromium lay the page
 * out.
 */
export const isGecko = (): boolean => CSS.supports('-moz-orient', 'inline');
