import { createContentEditableSurface } from './contenteditable-surface.ts';
import { activeElementOf } from './tree-scope.ts';

/**
 * Makes `text` all there is in a `contenteditable`, as a program sets the value of an input: not
 * undone, no `input` event. A caret in it stays at its offset, or at the end of a shorter text.
 * Saved cursors follow as they follow any change. Does nothing when the text is there already.
 */
export function replaceText(element: HTMLElement, text: string): void {
  const surface = createContentEditableSurface(element);
  try {
    if (surface.visibleText() === text) return;
    const users = activeElementOf(element) === element ? surface.readSelection() : null;
    // A newline at the very end only holds the last line open: it takes a second one to be seen.
    element.textContent = text.endsWith('\n') ? `${text}\n` : text;
    if (users !== null) surface.select(users);
  } finally {
    surface.dispose();
  }
}
