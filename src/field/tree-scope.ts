/** The element that has the focus, as seen from the tree (document or shadow) the element is in. */
export function activeElementOf(element: Element): Element | null {
  const root = element.getRootNode();
  return isScope(root) ? root.activeElement : null;
}

/** The selection as the element's tree sees it: what is in a shadow tree the document hides. */
export function selectionOf(element: Element): Selection | null {
  const root = element.getRootNode();
  // Chromium's; Firefox shows the document's selection inside shadow trees too.
  if (hasGetSelection(root)) return root.getSelection();
  return element.ownerDocument.getSelection();
}

function isScope(root: Node): root is Document | ShadowRoot {
  return 'activeElement' in root;
}

function hasGetSelection(root: Node): root is Node & { getSelection(): Selection | null } {
  return 'getSelection' in root;
}
