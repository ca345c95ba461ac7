import { keepsNewlines } from './node-kinds.ts';

/**
 * Above so many lines one `insertHTML` is used: line by line takes Chromium 0.16 s for 200 lines
 * and 2.5 s for 1,000, as each command lays the page out; as HTML it is 13 ms.
 */
const MOST_LINES_TYPED = 100;

/**
 * Puts text in place of the selection as the user's typing would: `input` events are fired, native
 * undo and redo are kept. Newlines go in as line breaks. The commands here follow one another with
 * the selection left alone, so that Chromium makes one undo step of them.
 *
 * `execCommand` is marked as deprecated, but there is no other way that keeps undo: `setRangeText`
 * and changes of the DOM are not undone, and the user's next undo then eats other words.
 */
export function typeText(element: HTMLElement, text: string): void {
  const page = element.ownerDocument;
  const lines = text.split('\n');
  if (
    lines.length > MOST_LINES_TYPED &&
    page.execCommand('insertHTML', false, toHtml(element, lines))
  )
    return;
  lines.forEach((line, index) => {
    if (index > 0) page.execCommand('insertLineBreak');
    if (line !== '') page.execCommand('insertText', false, line);
  });
}

/** Deletes the selection as the user's key would. */
export function deleteSelection(element: HTMLElement): void {
  element.ownerDocument.execCommand('delete');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function toHtml(element: HTMLElement, lines: readonly string[]): string {
  const html = lines.join('\n').replace(/[&<>]/g, (mark) => ENTITIES[mark] ?? mark);
  // Where white space collapses, blanks at a line's ends and in rows would be lost.
  const safe = keepsNewlines(element) ? html : html.replace(/^ | $| (?= )/gm, '&nbsp;');
  return safe.replaceAll('\n', '<br>');
}
