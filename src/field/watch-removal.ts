/**
 * Calls `onRemoved` when the element has left the document: it says nothing by itself, not even
 * when it had the focus. One that is only moved has not left. Returns the end of the watch.
 */
export function watchRemoval(element: HTMLElement, onRemoved: () => void): () => void {
  const observer = new MutationObserver(() => {
    if (!element.isConnected) onRemoved();
  });
  // What happens in a document is not told to those who watch a shadow tree in it, nor the reverse.
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
