import { hideEvents } from './borrowed-focus.ts';
import { isGecko, isTextControl, keepsNewlines, selectionOf } from './dom.ts';

/**
 * Above so many lines one `insertHTML` is used: line by line takes Chromium 0.16 s for 200 lines
 * and 2.5 s for 1,000, as each command lays the page out; as HTML it is 13 ms.
 */
const MOST_LINES_TYPED = 100;

/**
 * Puts text, or nothing, in place of the selection as the user's typing would: `input` events are
 * fired, native undo and redo are kept. Newlines go in as line breaks. It is one undo step: the commands here
 * follow one another with the selection left alone, so that Chromium makes one of them.
 *
 * `execCommand` is marked as deprecated, but there is no other way that keeps undo: `setRangeText`
 * and changes of the DOM are not undone, and the user's next undo then eats other words.
 */
export function typeText(element: HTMLElement, text: string): void {
  const page = element.ownerDocument;
  if (text === '') {
    deleteSelection(element);
    return;
  }
  const lines = text.split('\n');
  if (isTakenByEditor(element, text)) return;
  // There one command makes a line break of each newline, and each command is an undo step; in other
  // engines it makes paragraphs.
  if (isGecko()) {
    // A newline in the text is what others make there, and what Quill keeps: it takes a `<br>` out.
    const isKept = lines.length > 1 && element.contentEditable === 'true' && keepsNewlines(element);
    if (!(isKept && page.execCommand('insertHTML', false, escaped(text))))
      page.execCommand('insertText', false, text);
    return;
  }
  if (
    lines.length > MOST_LINES_TYPED &&
    page.execCommand('insertHTML', false, toHtml(element, lines))
  )
    return;
  // Safari alone tells of a command before it, as of a key: Squire and SunEditor then make the break
  // themselves, and leave the caret before it.
  const showEvents = isTextControl(element)
    ? () => {}
    : hideEvents(page.defaultView, ['beforeinput']);
  try {
    lines.forEach((line, index) => {
      if (index > 0) page.execCommand('insertLineBreak');
      if (line !== '') page.execCommand('insertText', false, line);
    });
  } finally {
    showEvents();
  }
}

/**
 * Offers the text to an editor that keeps a document of its own, as the browser offers what the
 * system dictates or a spell checker replaces. Commands come without that event: Lexical takes out
 * the breaks that they make, CKEditor all of the text, and Slate never hears of it. A text that the
 * editor takes is in the element a microtask later; at once where the event was not cancelled
 * (CKEditor). Trix does not cancel it, and has the text only in its document until the next frame:
 * where commands come with events of their own (Safari) it would take the text twice.
 */
function isTakenByEditor(element: HTMLElement, text: string): boolean {
  const selection = selectionOf(element);
  if (isTextControl(element) || selection === null || selection.rangeCount === 0) return false;
  const trix = trixOf(element);
  // It takes this for typing: one step with what was typed within the same 5 s.
  trix?.recordUndoEntry('Dictation');
  const dataTransfer = new DataTransfer();
  dataTransfer.setData('text/plain', text);
  const targetRanges = [new StaticRange(selection.getRangeAt(0))];
  const offer = new InputEvent('beforeinput', {
    inputType: 'insertReplacementText',
    bubbles: true,
    cancelable: true,
    composed: true,
    // An extension's properties of an event are not there for the page's scripts; these are.
    dataTransfer,
    targetRanges,
  });
  // WebKit's events have both, and cannot be made with them.
  Object.defineProperties(offer, {
    dataTransfer: { value: dataTransfer },
    getTargetRanges: { value: () => targetRanges },
  });
  const has = (): string => String(trix?.getDocument() ?? element.textContent);
  const before = has();
  return !element.dispatchEvent(offer) || has() !== before;
}

type Trix = { recordUndoEntry(name: string): void; getDocument(): unknown };

function trixOf(element: HTMLElement & { readonly editor?: Trix }): Trix | undefined {
  return element.localName === 'trix-editor' ? element.editor : undefined;
}

/** Deletes the selection as the user's key would. */
export function deleteSelection(element: HTMLElement): void {
  element.ownerDocument.execCommand('delete');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const escaped = (text: string): string => text.replace(/[&<>]/g, (mark) => ENTITIES[mark] ?? mark);

function toHtml(element: HTMLElement, lines: readonly string[]): string {
  const html = escaped(lines.join('\n'));
  // Where white space collapses, blanks at a line's ends and in rows would be lost.
  const safe = keepsNewlines(element) ? html : html.replace(/^ | $| (?= )/gm, '&nbsp;');
  return safe.replaceAll('\n', '<br>');
}
