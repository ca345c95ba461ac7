import { BLOCK_TAGS, isAtomic, isElement, isText, keepsNewlines, UNSEEN_TAGS } from './dom.ts';

/** Stands in the text for an object: an image, a chip the user cannot edit. */
const OBJECT_MARK = '\uFFFC';

/** A place in the document, as ranges and selections have it. */
export type DomPoint = { readonly node: Node; readonly offset: number };

/** A part of the text: a text node, a `<br>`, or an object. */
export type Leaf = {
  readonly kind: 'text' | 'break' | 'object';
  readonly node: Node;
  /** Where it begins in the text. */
  readonly start: number;
  /** Its units of the text; a `<br>` has none, the newline after it belongs to nobody. */
  readonly length: number;
};

/**
 * The text of an editable element as the user sees its lines: one `\n` for a `<br>`, a newline
 * that is shown, or the edge of a block; none for the `<br>` or newline that only holds the last
 * line open; where white space collapses, no-break spaces as spaces, since browsers swap one for
 * the other there.
 */
export type TextMap = {
  readonly text: string;
  /** The text with the words in objects (the name on a chip) in place of their marks. */
  wholeText(): string;
  /** The offset in the text of a point of the document; null for a point outside the element. */
  offsetOf(point: DomPoint): number | null;
  /** A point for an offset of the text; offsets outside are brought to the nearest end. */
  pointAt(offset: number): DomPoint;
  /** The leaf that the point of an offset lies in or before; null in an empty element. */
  leafAt(offset: number): Leaf | null;
};

/** Reads the element's text now. The map is true until the element changes. */
export function readTextMap(root: HTMLElement): TextMap {
  const { text, leaves } = readLeaves(root);
  const leafAt = (offset: number) => findLeaf(leaves, text, clamp(offset, text.length));
  return {
    text,
    leafAt,
    wholeText: () => leaves.reduceRight((whole, leaf) => withObject(whole, leaf), text),
    offsetOf: (point) => (root.contains(point.node) ? offsetIn(leaves, point) : null),
    pointAt(offset) {
      const leaf = leafAt(offset);
      if (leaf === null) return { node: root, offset: 0 };
      const inside = clamp(offset, text.length) - leaf.start;
      if (leaf.kind === 'text') return { node: leaf.node, offset: inside };
      return beside(leaf.node, inside);
    },
  };
}

type MutableLeaf = { -readonly [Key in keyof Leaf]: Leaf[Key] };

function readLeaves(root: HTMLElement): { text: string; leaves: Leaf[] } {
  const leaves: MutableLeaf[] = [];
  let text = '';
  /** A line has ended; its newline is written when something follows. */
  let isBreakDue = false;
  /** The text node whose own last newline is the one that is due. */
  let newlineOwner: MutableLeaf | null = null;

  const add = (kind: Leaf['kind'], node: Node, shown: string) => {
    if (isBreakDue) text += '\n';
    if (isBreakDue && newlineOwner !== null) newlineOwner.length += 1;
    isBreakDue = false;
    newlineOwner = null;
    const leaf = { kind, node, start: text.length, length: shown.length };
    text += shown;
    leaves.push(leaf);
    return leaf;
  };
  const edge = () => {
    isBreakDue = leaves.length > 0;
    newlineOwner = null;
  };
  const addText = (node: Text) => {
    const data = shownText(node);
    const endsLine = data.endsWith('\n');
    if (data === '') return;
    const leaf = add('text', node, endsLine ? data.slice(0, -1) : data);
    isBreakDue = endsLine;
    newlineOwner = endsLine ? leaf : null;
  };
  const visit = (node: Node) => {
    if (isText(node)) return addText(node);
    if (!isElement(node) || UNSEEN_TAGS.has(node.localName) || isSeparator(node)) return;
    if (node.localName === 'br') {
      add('break', node, '');
      isBreakDue = true;
      return;
    }
    const isBlock = BLOCK_TAGS.has(node.localName);
    if (isBlock) edge();
    if (isAtomic(node)) add('object', node, OBJECT_MARK);
    else node.childNodes.forEach(visit);
    if (isBlock) edge();
  };
  root.childNodes.forEach(visit);
  return { text, leaves };
}

/** A text node's text, unit for unit; empty for the white space between the tags of blocks. */
function shownText(node: Text): string {
  const { data, parentElement } = node;
  if (!/[\n\r\t\u00A0]/.test(data) || (parentElement && keepsNewlines(parentElement))) return data;
  return /^[ \t\r]*\n[ \t\r\n]*$/.test(data) ? '' : data.replace(/[\n\r\t\u00A0]/g, ' ');
}

/** Attributes that give a picture content, or room for it. */
const OF_PICTURES = ['src', 'srcset', 'width', 'height'];

/** A picture of nothing: ProseMirror puts one before a break, so that a caret can stand there. */
function isSeparator(node: Element): boolean {
  return node.localName === 'img' && !OF_PICTURES.some((name) => node.hasAttribute(name));
}

function withObject(text: string, { kind, node, start, length }: Leaf): string {
  if (kind !== 'object') return text;
  return text.slice(0, start) + (node.textContent ?? '') + text.slice(start + length);
}

function findLeaf(leaves: readonly Leaf[], text: string, offset: number): Leaf | null {
  for (const [index, leaf] of leaves.entries()) {
    if (offset > leaf.start + leaf.length) continue;
    const next = leaves[index + 1];
    const isAfterNewline = leaf.length > 0 && text[offset - 1] === '\n';
    const isAtEdge = offset === leaf.start + leaf.length && next?.start === offset;
    // After a newline the line goes on in the next leaf; text is a better place than an edge.
    if (isAtEdge && (isAfterNewline || (leaf.kind !== 'text' && next.kind === 'text'))) return next;
    return leaf;
  }
  return leaves.at(-1) ?? null;
}

function offsetIn(leaves: readonly Leaf[], { node, offset }: DomPoint): number {
  const own = leaves.find((leaf) => leaf.node === node || leaf.node.contains(node));
  if (own !== undefined) {
    return own.start + (own.kind === 'text' ? Math.min(offset, own.length) : 0);
  }
  const child = isText(node) ? node : (node.childNodes[offset] ?? null);
  const index = leaves.findIndex((leaf) => !isBefore(leaf.node, node, child));
  const next = index === -1 ? undefined : leaves[index];
  const previous = index === -1 ? leaves.at(-1) : leaves[index - 1];
  if (next !== undefined && (node.contains(next.node) || previous === undefined)) return next.start;
  return previous === undefined ? 0 : previous.start + previous.length;
}

/** True if a leaf lies before the point in `parent` in front of `child` (null: at its end). */
function isBefore(leaf: Node, parent: Node, child: Node | null): boolean {
  const edge = child ?? parent;
  if (edge.contains(leaf)) return child === null;
  return (edge.compareDocumentPosition(leaf) & Node.DOCUMENT_POSITION_PRECEDING) !== 0;
}

function beside(node: Node, past: number): DomPoint {
  const parent = node.parentNode;
  if (parent === null) return { node, offset: 0 };
  return { node: parent, offset: Array.prototype.indexOf.call(parent.childNodes, node) + past };
}

function clamp(offset: number, length: number): number {
  return Math.min(Math.max(offset, 0), length);
}
