/** How often it is checked that the composing element is still there: its end may go untold. */
const GONE_CHECK_MS = 250;

/** Knows whether an input method is composing a word, anywhere in the document. */
export type CompositionWatch = {
  isComposing(): boolean;
  /** Is fulfilled when nothing is being composed; at once if so now. */
  untilSettled(): Promise<void>;
  dispose(): void;
};

/**
 * Watches the whole document, not one field: taking the focus away, for a moment even, would end a
 * composition in another field. A composition is over, too, when its element has left the document.
 */
export function createCompositionWatch(page: Document): CompositionWatch {
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
    clearInterval(goneCheck);
    for (const settle of waiting) settle();
    waiting.clear();
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

  return {
    isComposing: () => target !== null,
    untilSettled() {
      if (target === null) return Promise.resolve();
      clearInterval(goneCheck);
      goneCheck = setInterval(() => target?.isConnected === false && end(), GONE_CHECK_MS);
      return new Promise((resolve) => waiting.add(resolve));
    },
    dispose() {
      listening.abort();
      target = null;
      settleAll();
    },
  };
}
