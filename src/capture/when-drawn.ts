/** A page that draws nothing, being hidden or slow, is not waited for. */
const DEADLINE_MS = 50;

/** Fulfilled when what has just changed on the page is drawn, or after 50 ms. */
export function whenDrawn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, DEADLINE_MS);
    // A task of its own: the frame's are done before the picture is.
    requestAnimationFrame(() => setTimeout(resolve));
  });
}
