/** The composing element is checked this often: some leave the page without an event. */
const GONE_CHECK_MS = 250;

/**
 * Knows if an input method is composing a word. Watches the whole document, not one field, since
 * taking the focus away for a moment would end a composition in another field, too. A composition
 * is also over when its element has left the document or lost the focus: not every input method
 * sends the event.
 */
export function createCompositionWatch(page: Document) {
  const listening = new AbortController();
  const options = { capture: true, signal: listening.signal };
  const waiting = new Set<() => void>();
  let target: Node | null = null;
  let goneCheck: ReturnType<typeof setInterval> | undefined;

  const begin = (event: Event) => {
    const [innermost] = event.composedPath();
    target = innermost instanceof Node ? innermost : page;
  };
  const settleAll = () => {
    if (target !== null) return;
    for (const settle of waiting) settle();
  };
  const end = () => {
    if (target === null) return;
    target = null;
    // In the event's own task the browser may still be writing the composed text.
    setTimeout(settleAll);
  };
  page.addEventListener('compositionstart', begin, options);
  page.addEventListener('compositionupdate', begin, options);
  page.addEventListener('compositionend', end, options);
  // A window that loses the focus leaves the composition in it.
  page.addEventListener('focusout', () => page.hasFocus() && end(), options);

  return {
    isComposing: (): boolean => target !== null,
    /**
     * Fulfilled when nothing is being composed; in any case after `mostMs`, or when aborted.
     */
    untilSettled(mostMs: number, withdrawn?: AbortSignal): Promise<void> {
      if (target === null) return Promise.resolve();
      clearInterval(goneCheck);
      goneCheck = setInterval(() => target?.isConnected === false && end(), GONE_CHECK_MS);
      return new Promise((resolve) => {
        const settle = (): void => {
          clearTimeout(timer);
          waiting.delete(settle);
          if (waiting.size === 0) clearInterval(goneCheck);
          resolve();
        };
        const timer = setTimeout(settle, mostMs);
        withdrawn?.addEventListener('abort', settle, { once: true });
        waiting.add(settle);
      });
    },
    dispose() {
      listening.abort();
      target = null;
      settleAll();
    },
  };
}
