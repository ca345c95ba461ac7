import { isFocusInAnotherFrame, withBorrowedFocus } from '../field/borrowed-focus.ts';
import { contentEditableCaretRect } from '../field/caret-rect.ts';
import { isSeen, selectionOf } from '../field/dom.ts';
import type { EditableField } from '../field/editable-field.ts';
import { createContentEditableSurface } from '../field/text-surface.ts';
import { customField } from './custom.ts';

export type { EditableField };

/** The parts of a TinyMCE editor (6 and later) that are used. */
export type TinyMceEditor = {
  readonly inline: boolean;
  readonly iframeElement: HTMLIFrameElement | null;
  readonly mode: { isReadOnly(): boolean };
  readonly undoManager: { transact(edit: () => void): unknown };
  getBody(): HTMLElement;
  execCommand(command: string): unknown;
  focus(): void;
  nodeChanged(): void;
};

/** Events in the editor's frame that the page hears of on the frame's element. */
const FORWARDED = ['focusin', 'click', 'keydown', 'keyup', 'input'] as const;

/**
 * A TinyMCE editor as a field, in a frame (its default) or inline:
 * `attachDictation(tinyMceField(editor))`, once it is ready (`init`). Each text is one step of its
 * undo manager. While it is read-only or hidden nothing goes in.
 */
export function tinyMceField(editor: TinyMceEditor): EditableField {
  const body = editor.getBody();
  const frame = editor.inline ? null : editor.iframeElement;
  const element = frame ?? body;
  const surface = createContentEditableSurface(body);
  const listening = new AbortController();
  const { signal } = listening;
  let isComposing = false;

  const noteComposition = ({ type }: Event): void => {
    isComposing = type === 'compositionstart';
  };
  body.addEventListener('compositionstart', noteComposition, { signal });
  body.addEventListener('compositionend', noteComposition, { signal });
  if (frame) {
    for (const type of FORWARDED)
      body.ownerDocument.addEventListener(type, (event) => forward(event, frame), { signal });
  }

  /** A selection in a frame takes no focus; one in the page itself does. */
  const inEditor = (act: () => void): void => {
    if (frame) act();
    else withBorrowedFocus(body, act);
  };
  const put = (text: string): void => {
    const rangeNow = (): Range | undefined => {
      const selection = selectionOf(body);
      return selection?.rangeCount ? selection.getRangeAt(0) : undefined;
    };
    // As its own key does it: what is left of two paragraphs is one.
    if (rangeNow()?.collapsed === false) editor.execCommand('Delete');
    const range = rangeNow();
    if (!range) return;
    range.deleteContents();
    const lines = text.split('\n').flatMap((line, index) => {
      const words: Node[] = line === '' ? [] : [body.ownerDocument.createTextNode(line)];
      return index === 0 ? words : [body.ownerDocument.createElement('br'), ...words];
    });
    const all = body.ownerDocument.createDocumentFragment();
    all.append(...lines);
    range.insertNode(all);
    // The editor keeps the selection for when it has the focus again: not with the text in it.
    range.collapse();
    // Words stand in one node, as if they were typed.
    range.commonAncestorContainer.normalize();
  };

  return customField({
    element,
    // Hidden it has no selection to put a text at.
    isEditable: () =>
      !editor.mode.isReadOnly() &&
      body.isContentEditable &&
      isSeen(element) &&
      (element === frame || !isFocusInAnotherFrame(document)),
    isComposing: () => isComposing,
    ...(frame && { focus: () => editor.focus() }),
    text: surface.readText,
    selection: () => surface.lastSelection() ?? { anchor: 0, focus: 0 },
    select(selection) {
      inEditor(() => surface.select(selection));
      editor.nodeChanged();
    },
    watch: surface.watch,
    replace({ start, end }, text) {
      inEditor(() => {
        editor.undoManager.transact(() => {
          surface.select({ anchor: start, focus: end });
          put(text);
        });
      });
    },
    caretRect() {
      const caret = contentEditableCaretRect(body);
      if (!frame) return caret;
      const { left, top } = frame.getBoundingClientRect();
      const { clientLeft, clientTop } = frame;
      return new DOMRect(
        left + clientLeft + caret.left,
        top + clientTop + caret.top,
        0,
        caret.height,
      );
    },
    dispose() {
      listening.abort();
      surface.dispose();
    },
  });
}

/** The same event for the page around the frame; what is prevented there is prevented here. */
function forward(event: Event, frame: HTMLIFrameElement): void {
  const { type } = event;
  const init = { bubbles: true, cancelable: true, composed: true };
  const copy =
    type === 'keydown' || type === 'keyup'
      ? new KeyboardEvent(type, { ...keysOf(event as KeyboardEvent), ...init })
      : new Event(type, init);
  if (!frame.dispatchEvent(copy)) event.preventDefault();
}

function keysOf(event: KeyboardEvent): KeyboardEventInit {
  const { key, code, repeat, ctrlKey, shiftKey, altKey, metaKey } = event;
  return { key, code, repeat, ctrlKey, shiftKey, altKey, metaKey };
}
