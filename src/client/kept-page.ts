/** What a dictation does on a page that the browser may keep for the back button. */
export type KeptPage = {
  /**
   * The page is left, and may come back: as if it were gone. A microphone it had is let go, and what
   * was said is another page's to write down.
   */
  leave(): void;
  /** It has come back. */
  comeBack(): void;
};

/**
 * Tells when the page is left, but kept, and when it comes back. A kept page stands still with all
 * it has: in Safari also its worker, whose locks would keep other pages from what was said for as
 * long as the page is kept. Firefox and Chromium keep no page that records, nor Firefox one whose
 * worker holds a lock. The answer ends the watch.
 */
export function watchKeptPage({ leave, comeBack }: KeptPage): () => void {
  const watch = new AbortController();
  const { signal } = watch;
  const onHide = ({ persisted }: PageTransitionEvent): void => {
    if (persisted) leave();
  };
  const onShow = ({ persisted }: PageTransitionEvent): void => {
    if (persisted) comeBack();
  };
  window.addEventListener('pagehide', onHide, { signal });
  window.addEventListener('pageshow', onShow, { signal });
  return () => watch.abort();
}
