/** How often it is checked that the composing element is still there: its end may go untold. */
const GONE_CHECK_MS = 250;

/** Knows whether an input method is composing a word, anywhere in the document. */
export type CompositionWatch = ReturnType<typeof createCompositionWatch>;

/**
 * Watches the whole document, not one field: taking the focus away, for a moment even, would end a
 * composition in another field. A composition is over, too, when its element has left the document
 * or lost the focus: not every input method tells.
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
     * Is fulfilled when nothing is being composed, at once if so now; after that time, or if aborted,
     * in any case.
     */
    untilSettled(offeredAfterMs: number, withdrawn?: AbortSignal): Promise<void> {
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
        const timer = setTimeout(settle, offeredAfterMs);
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
