/** The element that has the focus, as seen from the tree (document or shadow) the element is in. */
export function activeElementOf(element: Element): Element | null {
  const root = element.getRootNode();
  return isScope(root) ? root.activeElement : null;
}

/** What is asked of a selection here. */
export type TreeSelection = Pick<
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

/** WebKit tells of a selection in a shadow tree whoever names the tree. */
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

/** Whether the root of a tree is one that is shown, not of a part that is not in the page. */
export function isScope(root: Node): root is Document | ShadowRoot {
  return 'activeElement' in root;
}

function hasGetSelection(root: Node): root is Node & { getSelection(): Selection | null } {
  return 'getSelection' in root;
}
