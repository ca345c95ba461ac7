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

/** Whether the caret cannot stand inside: an image, a control, an island the user cannot edit. */
export function isAtomic(element: Element): boolean {
  return ATOMIC_TAGS.has(element.localName) || element.getAttribute('contenteditable') === 'false';
}

/** Whether a newline character in the element's text is shown as one. */
export function keepsNewlines(element: Element): boolean {
  // Chromium computes `pre-wrap` for plaintext-only whatever the page says.
  const { whiteSpace } = getComputedStyle(element);
  return whiteSpace.startsWith('pre') || whiteSpace === 'break-spaces';
}

/** A text area, or an input in which the selection can be read and set. */
export type TextControl = HTMLTextAreaElement | HTMLInputElement;

// By name, not by `instanceof`: the element may belong to another frame's document.

export function isTextControl(element: Element): element is TextControl {
  return element.localName === 'textarea' || isSelectableInput(element);
}

/** Whether the user could type into an element now: not read-only, not disabled. */
export function acceptsText(element: HTMLElement): boolean {
  // `:disabled` knows of a disabled fieldset too.
  if (isTextControl(element)) return !(element.readOnly || element.matches(':disabled'));
  return element.isContentEditable;
}

/**
 * Whether a text area that nobody sees takes the keys for an editor which keeps and draws the text
 * elsewhere (Monaco without `editContext`, Ace).
 */
export function standsForEditor(element: HTMLElement): boolean {
  if (element.localName !== 'textarea') return false;
  const { color, opacity } = getComputedStyle(element);
  return opacity === '0' || /^rgba\(.*, 0\)$/.test(color);
}

function isSelectableInput(element: Element): boolean {
  // Not `email` and `number`: their selection is null by the HTML standard.
  return element.localName === 'input' && /^(text|search|tel|url)$/.test(inputType(element));
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
